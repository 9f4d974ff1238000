// The given batches that are in the log. A batch is identified by its first event.
// mode: read
// params: domain, batches
// returns: batch
UNWIND $batches AS batch
MATCH (e:_Event {_domain: $domain, _id: batch})
RETURN batch
