// Appends the events that begin connections, and makes the connections with their keys and small texts, as for nodes.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.create_connections.rows AS row
MATCH (a:_Node {_domain: $domain, _id: row.event._from})
MATCH (b:_Node {_domain: $domain, _id: row.event._to})
CREATE (e:_Event)
SET e = $rows.create_connections.event, e += row.state, e += row.event
CREATE (a)-[r:$(row.type)]->(b)
SET r = $rows.create_connections.live, r += row.state, r += row.live, r._content = row.text
FOREACH (key IN row.keys | CREATE (k:_Key) SET k = key)
FOREACH (text IN CASE WHEN row.text IS NULL THEN [] ELSE [row.text] END |
  MERGE (c:_Content {_domain: $domain, _sha256: row.state._content_sha256})
  ON CREATE SET c._text = text)
RETURN count(*) AS found
