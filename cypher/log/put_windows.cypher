// Makes the search windows of owners what they are to be, new ones to be indexed later. Windows that are so already are
// not touched: a reader must not miss what did not change, and they need not be indexed again. They are compared place
// by place, as both lists are in that order.
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
