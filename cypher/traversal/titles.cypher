// The types and titles of nodes, read from the graph. A node whose title only repeats its type has its properties.
// mode: read
// params: domain, ids
// returns: id, type, title, properties
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
WHERE n._type IS NOT NULL
RETURN id, n._type AS type, coalesce(n._title, n._type) AS title,
       CASE WHEN coalesce(n._title, n._type) = n._type THEN properties(n) ELSE {} END AS properties
