// Entities of which something is observed that is observed of a node too, the same but for capitals: how much of each.
// mode: read
// params: domain, node, most
// returns: id, shared
MATCH (:_Node {_domain: $domain, _id: $node})<-[:_OBSERVES]-(own:_Observation)
WHERE own._folded IS NOT NULL AND coalesce(own._valid_to > datetime(), true)
WITH own._folded AS text
LIMIT $most
CALL (text) {
  MATCH (o:_Observation)
  USING TEXT INDEX o:_Observation(_folded)
  WHERE o._folded = toString(text) AND o._domain = $domain AND coalesce(o._valid_to > datetime(), true)
  MATCH (o)-[:_OBSERVES]->(n:_Node)
  WHERE n._id <> $node AND n._entity IS NOT NULL AND n._mentioned IS NULL
  RETURN DISTINCT n._id AS id
  LIMIT $most
}
RETURN id, count(*) AS shared
ORDER BY shared DESC, id
LIMIT $most
