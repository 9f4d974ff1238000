// Takes the text of content from connections; their projection puts it back from the log's copy.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH ()-[r:$(row.type) {_domain: $domain, _id: row.id}]->()
REMOVE r._content
