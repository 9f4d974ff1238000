// Sets the ids of adopted nodes to those of their events.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH (n)
WHERE elementId(n) = row.element AND n:_Node
SET n._domain = $domain, n._id = row.id
