// Removes the text content of connections. Their projection writes it again from the log.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH ()-[r:$(row.type) {_domain: $domain, _id: row.id}]->()
REMOVE r._content
