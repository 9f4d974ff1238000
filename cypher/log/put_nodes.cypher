// Writes nodes as of their last events, with inline texts. A text of the live graph that still matches the content
// is kept, even if the log's copy is lost. Indexed texts stay indexed. If the type changes, the node and its search
// windows get the new label. Links from other domains are linked to restored nodes.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_nodes AS row
MERGE (n:_Node {_domain: $domain, _id: row.id})
ON CREATE SET n:$(row.type)
WITH n, row, CASE WHEN n._content_sha256 = row.content THEN n._content END AS kept,
     CASE WHEN n._folded = normalize(toLower(row.text)) THEN {_folded: n._folded, _is_long: null} ELSE {} END AS indexed,
     CASE WHEN n._type <> row.type THEN [n._type] ELSE [] END AS former
FOREACH (type IN former |
  REMOVE n:$(type)
  SET n:$(row.type))
SET n = row.state, n += indexed, n._created = datetime(row.state._created), n._modified = datetime(row.state._modified)
WITH n, row, kept, former
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: row.content})
SET n._content = coalesce(c._text, kept)
WITH n, row, former
CALL (n) {
  MATCH (l:_Link {_target_domain: n._domain, _target: n._id})
  MERGE (l)-[:_LEADS_TO]->(n)
}
WITH row, former
CALL (row, former) {
  UNWIND former AS type
  MATCH (w:_Window {_domain: $domain, _owner: row.id})
  SET w._type = row.type
}
RETURN count(*) AS found
