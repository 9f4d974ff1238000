// What goes or is touched when a subject goes: it itself, and of a node its protected connections and their other ends.
// mode: read
// params: domain, subject
// returns: subject
RETURN $subject AS subject
UNION
MATCH (n:_Node {_domain: $domain, _id: $subject})
MATCH (n)-[r]-(m:_Node)
WHERE r._domain = $domain AND r._id IS NOT NULL AND (r._protection IS NOT NULL OR m._protection IS NOT NULL)
UNWIND [r, m] AS one
RETURN one._id AS subject
