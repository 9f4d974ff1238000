// Removes the text content of nodes. Their projection writes it again from the log.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH (n:_Node {_domain: $domain, _id: row.id})
REMOVE n._content
