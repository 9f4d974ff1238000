// Writes connections as of their last events, with inline texts, as for nodes.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_connections AS row
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
MERGE (a)-[r:$(row.type) {_domain: $domain, _id: row.id}]->(b)
WITH r, row, CASE WHEN r._content_sha256 = row.content THEN r._content END AS kept
SET r = row.state, r._created = datetime(row.state._created), r._modified = datetime(row.state._modified)
WITH r, row, kept
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: row.content})
SET r._content = coalesce(c._text, kept)
RETURN count(*) AS found
