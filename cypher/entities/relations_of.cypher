// The current relations from or to a node with the name at the other end, oldest first, up to a limit.
// mode: read
// params: domain, rows, limit
// returns: place, id, kind, other, since
UNWIND $rows AS row
MATCH (n:_Node {_domain: $domain, _id: row.node})
CALL (row, n) {
  WITH row, n
  WHERE row.is_start
  MATCH (n)-[r]->(o:_Node)
  WHERE r._id IS NOT NULL AND coalesce(r._valid_to > datetime(), true)
  RETURN r, o
  UNION
  WITH row, n
  WHERE NOT row.is_start
  MATCH (n)<-[r]-(o:_Node)
  WHERE r._id IS NOT NULL AND coalesce(r._valid_to > datetime(), true)
  RETURN r, o
}
WITH row, r, o
ORDER BY r._created, r._id
LIMIT $limit
RETURN row.place AS place, r._id AS id, coalesce(r._relation, type(r)) AS kind, coalesce(o.name, o._title) AS other,
  coalesce(r._valid_from, r._created) AS since
