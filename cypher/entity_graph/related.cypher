// For each relation, given by the names of its ends and its type as written: the existing ends, and equal current
// relations (id, stored type, version, and whether it is reversed).
// mode: read
// params: domain, rows
// returns: place, from_id, from_type, from_mentioned, to_id, to_type, to_mentioned, matches
UNWIND $rows AS row
OPTIONAL CALL (row) {
  WITH row.from AS name
  MATCH (a:_Node {_domain: $domain, _entity_name: CASE WHEN size(name) <= 1000 THEN name ELSE toString(size(name)) END})
  WHERE a.name = name
  RETURN a LIMIT 1
}
OPTIONAL CALL (row) {
  WITH row.to AS name
  MATCH (b:_Node {_domain: $domain, _entity_name: CASE WHEN size(name) <= 1000 THEN name ELSE toString(size(name)) END})
  WHERE b.name = name
  RETURN b LIMIT 1
}
OPTIONAL MATCH (a)-[r]->(b)
WHERE r._id IS NOT NULL AND coalesce(r._relation, type(r)) = row.type AND coalesce(r._valid_to > datetime(), true)
RETURN row.place AS place, a._id AS from_id, a._type AS from_type, a._mentioned IS NOT NULL AS from_mentioned,
       b._id AS to_id, b._type AS to_type, b._mentioned IS NOT NULL AS to_mentioned,
       [one IN collect([r._id, type(r), r._version]) WHERE one[0] IS NOT NULL] AS matches
