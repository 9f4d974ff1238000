// Observations that no longer hold, with their ends, and the observations of the same node that superseded others:
// lists of id, text and the ids that they superseded.
// mode: read
// params: domain, ids
// returns: id, since, later
UNWIND $ids AS id
MATCH (o:_Observation {_domain: $domain, _id: id})
WHERE o._valid_to <= datetime()
RETURN id, o._valid_to AS since, COLLECT {
  MATCH (o)-[:_OBSERVES]->(:_Node)<-[:_OBSERVES]-(l:_Observation)
  WHERE l._supersedes IS NOT NULL
  RETURN [l._id, l._text, l._supersedes]
  ORDER BY l._created, coalesce(l._place, 0), l._id
} AS later
