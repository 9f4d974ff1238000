// The owners of unique values. Values that are unique across all types are the names of entities. For links, the value
// consists of source and target. Nodes are returned with their titles.
// mode: read
// params: domain, rows
// returns: kind, type, property, value, owner, title
UNWIND $rows AS row
CALL (row) {
  MATCH (k:_Key {_domain: $domain, _kind: row.kind, _type: row.type, _property: row.property, _value: row.value})
  OPTIONAL MATCH (n:_Node {_domain: $domain, _id: k._owner})
  RETURN k._owner AS owner, n._title AS title
  UNION ALL
  WITH row
  WHERE row.type = '*'
  MATCH (n:_Node {
    _domain: $domain, _entity_name: CASE WHEN size(row.value) <= 1000 THEN row.value ELSE toString(size(row.value)) END
  })
  WHERE n.name = row.value
  RETURN n._id AS owner, n._title AS title
  UNION ALL
  WITH row
  WHERE row.kind = 'link'
  WITH row, split(row.value, ' ') AS way
  MATCH (:_Node {_domain: $domain, _id: way[0]})-[:_LINKS]->(l:_Link)
  WHERE l._target_domain = way[1] AND l._target = way[2] AND l._link_type = row.type
  RETURN l._id AS owner, NULL AS title
}
RETURN row.kind AS kind, row.type AS type, row.property AS property, row.value AS value, owner, title
