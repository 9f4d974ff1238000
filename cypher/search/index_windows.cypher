// Has windows indexed by their trigrams, unless they were replaced since they were read.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows AS row
MATCH (w:_NewWindow {_domain: $domain, _owner: row.owner})
WHERE w._place = row.place AND w._text = row.text
SET w._grams = row.grams
REMOVE w:_NewWindow
RETURN count(*) AS found
