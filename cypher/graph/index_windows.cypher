// Indexes windows by their trigrams, unless they were replaced since they were read. They stay marked as waiting
// until the next transaction, because searches scan the waiting windows before they query the index.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows AS row
MATCH (w:_NewWindow {_domain: $domain, _owner: row.owner})
WHERE w._place = row.place AND w._text = row.text
SET w._grams = row.grams
RETURN count(*) AS found
