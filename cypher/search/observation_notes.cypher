// Observations that have open questions or a time of their own: the ids of the earlier observations that they may supersede,
// and the time of the observation if it differs from the time of storing.
// mode: read
// params: domain, ids
// returns: id, asks, time
UNWIND $ids AS id
MATCH (o:_Observation {_domain: $domain, _id: id})
WITH id, coalesce(o._asks, []) AS asks, CASE WHEN o._time <> o._created THEN o._time END AS time
WHERE asks <> [] OR time IS NOT NULL
RETURN id, asks, time
