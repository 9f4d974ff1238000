// Takes the text of content from nodes; their projection puts it back from the log's copy.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH (n:_Node {_domain: $domain, _id: row.id})
REMOVE n._content
