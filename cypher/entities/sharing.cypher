// Entities that share observations with a node, ignoring case, and the number of shared observations. Records that are not
// indexed are scanned first, as in `matching`.
// mode: read
// params: domain, node, most
// returns: id, shared
MATCH (:_Node {_domain: $domain, _id: $node})<-[:_OBSERVES]-(own:_Observation)
WHERE size(own._text) <= 8000 AND coalesce(own._valid_to > datetime(), true)
WITH normalize(toLower(own._text)) AS text
LIMIT $most
WITH collect(text) AS texts
CALL (texts) {
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._is_long = false AND normalize(toLower(o._text)) IN texts
  RETURN o
  UNION
  UNWIND texts AS text
  MATCH (o:_Observation)
  USING TEXT INDEX o:_Observation(_folded)
  WHERE o._folded = toString(text) AND o._domain = $domain
  RETURN o
}
MATCH (o)-[:_OBSERVES]->(n:_Node)
WHERE n._id <> $node AND n._entity IS NOT NULL AND n._mentioned IS NULL AND coalesce(o._valid_to > datetime(), true)
RETURN n._id AS id, count(DISTINCT normalize(toLower(o._text))) AS shared
ORDER BY shared DESC, id
LIMIT $most
