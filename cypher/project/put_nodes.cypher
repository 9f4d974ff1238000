// Makes nodes what their last events say, with their text where it is small.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows AS row
MERGE (n:_Node {_domain: $domain, _id: row.id})
ON CREATE SET n:$(row.type)
SET n = row.state
WITH n, row
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: row.content})
SET n._content = c._text
RETURN count(*) AS found
