// The names of entities with an observation that has this id or text, up to a limit. Texts that are not indexed, because they
// are new or long, are searched for by scanning.
// mode: read
// params: domain, wanted, limit
// returns: name
CALL () {
  MATCH (o:_Observation {_domain: $domain, _id: $wanted})
  RETURN o
  UNION
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._is_long IS NOT NULL AND o._text = $wanted
  RETURN o
  UNION
  MATCH (o:_Observation)
  USING TEXT INDEX o:_Observation(_folded)
  WHERE o._folded = normalize(toLower($wanted)) AND o._domain = $domain AND o._text = $wanted
  RETURN o
}
MATCH (o)-[:_OBSERVES]->(n:_Node)
WHERE n._entity_name IS NOT NULL
RETURN DISTINCT n.name AS name
LIMIT $limit
