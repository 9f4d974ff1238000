// Marks windows that were indexed by their trigrams as no longer waiting.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows AS row
MATCH (w:_NewWindow {_domain: $domain, _owner: row.owner})
WHERE w._place = row.place AND w._grams = row.grams
REMOVE w:_NewWindow
RETURN count(*) AS found
