// Adds search windows of text content, to be indexed later.
// mode: write
// params: rows
// returns: found
UNWIND $rows.put_windows AS row
CREATE (w:_Window:_NewWindow)
SET w = row
RETURN count(*) AS found
