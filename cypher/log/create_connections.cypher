// Appends the creation events of connections, and creates the connections with their keys and inline texts, as for
// nodes. The ends must have types that the connection's type allows, because their types may have been assumed.
// mode: write
// params: domain, rows
// returns: found
WITH datetime($rows.create_connections.at) AS at, $rows.create_connections.event AS event
WITH event {.*, _at: at, _created: at, _modified: at} AS event, {_domain: $domain, _created: at, _modified: at} AS live
UNWIND $rows.create_connections.rows AS row
MATCH (a:_Node {_domain: $domain, _id: row.event._from})
WHERE coalesce(a._type IN $rows.create_connections.ends[row.type].source, true)
MATCH (b:_Node {_domain: $domain, _id: row.event._to})
WHERE coalesce(b._type IN $rows.create_connections.ends[row.type].target, true)
CREATE (e:_Event)
SET e = event, e += row.state, e += row.event
CREATE (a)-[r:$(row.type)]->(b)
SET r = live, r += row.state, r += row.live, r._content = row.text
FOREACH (key IN row.keys | CREATE (k:_Key) SET k = key)
FOREACH (text IN CASE WHEN row.text IS NULL THEN [] ELSE [row.text] END |
  MERGE (c:_Content {_domain: $domain, _sha256: row.state._content_sha256})
  ON CREATE SET c._text = text)
RETURN count(*) AS found
