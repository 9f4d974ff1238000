// Adds search windows of text content.
// mode: write
// params: rows
// returns: found
UNWIND $rows.put_windows AS row
CREATE (w:_Window)
SET w = row
RETURN count(*) AS found
