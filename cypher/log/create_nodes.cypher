// Appends the events that begin nodes, and makes the nodes with their keys, search windows and small texts: a row holds once
// what both have, and what only one has, and the text that is to be in the index of texts. What the rows share comes before
// them, and a row may say otherwise. Links may have waited for a node, as where its domain was deleted and begun again; where
// none leads to the domain, no node is asked.
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
