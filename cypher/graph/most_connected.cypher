// The nodes with the most connections, in descending order. Each connection counts once. Connections are counted only
// for the nodes that have the most relationships in Neo4j, apart from those to observations. Neo4j counts both without
// reading them.
// mode: read
// params: domain, candidates, limit
// returns: id, edges
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _id)
WHERE n._domain = $domain AND n._id IS NOT NULL
WITH n, COUNT { (n)--() } - COUNT { (n)<-[:_OBSERVES]-() } AS relationships
ORDER BY relationships DESC, n._id
LIMIT $candidates
WITH n._id AS id, COUNT { (n)-[r]-() WHERE r._id IS NOT NULL } AS edges
WHERE edges > 0
RETURN id, edges
ORDER BY edges DESC, id
LIMIT $limit
