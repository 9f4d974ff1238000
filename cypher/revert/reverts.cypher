// Returns the ids of batches that are reverts. The first event of a revert has this request hash.
// mode: read
// params: domain, batches
// returns: id
UNWIND $batches AS batch
MATCH (e:_Event {_domain: $domain, _id: batch})
WHERE e._request = '07913239c9e8d42fcd39da156d79fea4dcc8b373ef5cd2696b49275bc7887669'
RETURN e._id AS id
