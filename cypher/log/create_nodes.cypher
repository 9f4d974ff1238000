// Appends the creation events of nodes, and creates the nodes with their keys, search windows and inline texts. A
// row contains the values of the event and of the node, and the text to index. The values that the rows share are
// stored once beside them, and a row may override them. Links may wait for a node, for example if its domain was
// deleted and created again; without links to the domain, no node is checked.
// mode: write
// params: domain, rows
// returns: found
WITH datetime($rows.create_nodes.at) AS at, $rows.create_nodes.event AS event
WITH event {.*, _at: at, _created: at, _modified: at} AS event, {_domain: $domain, _created: at, _modified: at} AS live
UNWIND $rows.create_nodes.rows AS row
CREATE (e:_Event)
SET e = event, e += row.state, e += row.event
CREATE (n:_Node:$(row.type))
SET n = live, n += row.state, n += row.live, n._content = row.text
FOREACH (text IN row.searched | SET n._folded = normalize(toLower(text)))
FOREACH (key IN row.keys | CREATE (k:_Key) SET k = key)
FOREACH (window IN row.windows | CREATE (w:_Window:_NewWindow) SET w = window)
FOREACH (text IN CASE WHEN row.text IS NULL THEN [] ELSE [row.text] END |
  MERGE (c:_Content {_domain: $domain, _sha256: row.state._content_sha256})
  ON CREATE SET c._text = text)
WITH collect(n) AS made
CALL (made) {
  WITH made
  WHERE EXISTS { MATCH (l:_Link) WHERE l._target_domain = $domain AND l._target IS NOT NULL }
  UNWIND made AS n
  MATCH (l:_Link {_target_domain: $domain, _target: n._id})
  MERGE (l)-[:_LEADS_TO]->(n)
}
RETURN size(made) AS found
