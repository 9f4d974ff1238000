// Returns live connections. An end that is not a node of the domain has no id.
// mode: read
// params: domain, rows
// returns: id, type, from_id, to_id, stored
UNWIND $rows AS row
CALL (row) {
  MATCH (a)-[r:$(row.type) {_domain: $domain, _id: row.id}]->(b)
  RETURN a, r, b
}
RETURN row.id AS id, type(r) AS type,
  CASE WHEN a:_Node AND a._domain = $domain THEN a._id END AS from_id,
  CASE WHEN b:_Node AND b._domain = $domain THEN b._id END AS to_id,
  properties(r) AS stored
