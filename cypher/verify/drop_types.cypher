// Deletes types from the live graph that are not in the log.
// mode: write
// params: domain, node_types, connection_types
// returns: -
OPTIONAL MATCH (n:_NodeType)
WHERE n._domain = $domain AND n._name IN $node_types
DETACH DELETE n
WITH DISTINCT 1 AS once
OPTIONAL MATCH (c:_ConnectionType)
WHERE c._domain = $domain AND c._name IN $connection_types
DETACH DELETE c
