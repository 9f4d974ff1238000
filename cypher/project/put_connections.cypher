// Makes connections what their last events say, with their text where it is small.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows AS row
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
MERGE (a)-[r:$(row.type) {_domain: $domain, _id: row.id}]->(b)
SET r = row.state
WITH r, row
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: row.content})
SET r._content = c._text
RETURN count(*) AS found
