// Writes connections as of their last events, with inline texts, as for nodes. They are looked up from the end with
// fewer relationships, because they are not indexed. Copies of a connection that a user created with Cypher are written
// too, and count once.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_connections AS row
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
WITH row, a, b, CASE
  WHEN COUNT { (a)-->() } < COUNT { (b)<--() }
    THEN COLLECT { MATCH (a)-[r]->(other) WHERE r._id = row.id AND r._domain = $domain AND other._id = row.to RETURN r }
  ELSE COLLECT { MATCH (b)<-[r]-(other) WHERE r._id = row.id AND r._domain = $domain AND other._id = row.from RETURN r }
END AS present
CALL (row, a, b, present) {
  UNWIND present AS r
  RETURN r
  UNION ALL
  WITH row, a, b, present
  WHERE size(present) = 0
  CREATE (a)-[r:$(row.type)]->(b)
  RETURN r
}
WITH r, row, CASE WHEN r._content_sha256 = row.content THEN r._content END AS kept
SET r = row.state, r._created = datetime(row.state._created), r._modified = datetime(row.state._modified)
WITH r, row, kept
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: row.content})
SET r._content = coalesce(c._text, kept)
RETURN count(DISTINCT row.id) AS found
