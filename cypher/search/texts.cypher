// The content of nodes, for a needle longer than a window's overlap: the text where it is small, else null.
// mode: read
// params: domain, ids
// returns: id, stored
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
RETURN id, properties(n) AS stored
ORDER BY id
