// Of these observations those with open questions: the ids of the earlier observations that they may make out of date.
// mode: read
// params: domain, ids
// returns: id, asks
UNWIND $ids AS id
MATCH (o:_Observation {_domain: $domain, _id: id})
WHERE o._asks IS NOT NULL
RETURN id, o._asks AS asks
