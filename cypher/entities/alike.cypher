// Current observations of an entity that equal one of the given texts or share most words with it, equal observations
// first. Scans all observations of the entity: the text index is shared by all domains, so words that are common in
// other domains would make it slower and incomplete. For texts in scripts without spaces, only equality is checked.
// mode: read
// params: domain, node, rows, spaces, most
// returns: id, text
MATCH (:_Node {_domain: $domain, _id: $node})<-[:_OBSERVES]-(o:_Observation)
WHERE coalesce(o._valid_to > datetime(), true)
WITH o, normalize(o._text) AS text, coalesce(o._folded, toLower(o._text)) AS folded
UNWIND $rows AS row
WITH row, o, text, size([word IN row.words WHERE folded CONTAINS word]) AS shared,
  all(part IN row.parts WHERE text CONTAINS part) AS has_parts
WHERE shared > 0 OR has_parts
WITH row, o, shared,
  has_parts AND reduce(written = text, space IN $spaces | replace(written, space, '')) IN row.written AS is_equal
WHERE shared > 0 OR is_equal
ORDER BY is_equal DESC, shared DESC, o._id
WITH row, collect(o)[..$most] AS found
UNWIND found AS o
WITH DISTINCT o
RETURN o._id AS id, o._text AS text
ORDER BY o._created, coalesce(o._place, 0), o._id
