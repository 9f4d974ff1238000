// The batches that the log has, by their first events.
// mode: read
// params: domain, batches
// returns: batch
UNWIND $batches AS batch
MATCH (e:_Event {_domain: $domain, _id: batch})
RETURN batch
