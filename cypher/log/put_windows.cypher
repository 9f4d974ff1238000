// Writes the search windows of owners, and marks new windows to be indexed later. Equal windows are not touched, so
// that readers do not miss them and they need not be indexed again. Old and new windows are compared by their
// positions.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_windows AS row
OPTIONAL MATCH (w:_Window {_domain: $domain, _owner: row.owner})
WITH row, w
ORDER BY w._place
WITH row, collect(w) AS present
WITH row, present, [place IN range(0, size(present) - 1) | coalesce(
  present[place]._place = place AND present[place]._type = row.rows[place]._type
  AND present[place]._text = row.rows[place]._text, false)] AS is_so
FOREACH (place IN [place IN range(0, size(present) - 1) WHERE NOT is_so[place]] | DELETE present[place])
FOREACH (place IN [place IN range(0, size(row.rows) - 1) WHERE NOT coalesce(is_so[place], false)] |
  CREATE (w:_Window:_NewWindow) SET w = row.rows[place])
RETURN count(*) AS found
