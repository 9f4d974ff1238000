// Observations of an entity that have one of these ids or texts, including ended ones. Texts that are not indexed, because they
// are new or long, are searched for by scanning.
// mode: read
// params: domain, node, wanted
// returns: id, text, has_ended
CALL () {
  UNWIND $wanted AS id
  MATCH (o:_Observation {_domain: $domain, _id: id})
  RETURN o
  UNION
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._is_long IS NOT NULL AND o._text IN $wanted
  RETURN o
  UNION
  UNWIND [text IN $wanted WHERE size(text) <= 8000] AS text
  MATCH (o:_Observation)
  USING TEXT INDEX o:_Observation(_folded)
  WHERE o._folded = toLower(text) AND o._domain = $domain AND o._text = text
  RETURN o
}
MATCH (o)-[:_OBSERVES]->(:_Node {_domain: $domain, _id: $node})
RETURN o._id AS id, o._text AS text, NOT coalesce(o._valid_to > datetime(), true) AS has_ended
ORDER BY o._created, coalesce(o._place, 0), o._id
