// These connections as they are in the live graph.
// mode: read
// params: domain, rows
// returns: id, type, from_id, to_id, stored
UNWIND $rows AS row
CALL (row) {
  MATCH (a)-[r:$(row.type) {_domain: $domain, _id: row.id}]->(b)
  RETURN a, r, b
}
RETURN row.id AS id, type(r) AS type, a._id AS from_id, b._id AS to_id, properties(r) AS stored
