// The names of properties that connections of these types have: those in `names` that any connection has, and all
// properties of the first 100 connections.
// mode: read
// params: domain, types, names
// returns: name
CALL () {
  MATCH (a:_Node)
  WHERE a._domain = $domain AND a._id IS NOT NULL
  MATCH (a)-[r]->(:_Node)
  WHERE r._domain = $domain AND r._id IS NOT NULL AND type(r) IN $types
  WITH r
  LIMIT 100
  UNWIND keys(r) AS name
  RETURN name
  UNION
  UNWIND $names AS name
  WITH name
  WHERE EXISTS {
    MATCH (a:_Node)
    WHERE a._domain = $domain AND a._id IS NOT NULL
    MATCH (a)-[r]->(:_Node)
    WHERE r._domain = $domain AND r._id IS NOT NULL AND type(r) IN $types AND r[name] IS NOT NULL
  }
  RETURN name
}
WITH DISTINCT name
WHERE NOT name STARTS WITH '_'
RETURN name
