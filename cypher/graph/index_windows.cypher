// Has windows indexed by their trigrams, unless they were replaced since they were read. They wait on until the next
// transaction: a reader looks through those that wait before it asks the index.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows AS row
MATCH (w:_NewWindow {_domain: $domain, _owner: row.owner})
WHERE w._place = row.place AND w._text = row.text
SET w._grams = row.grams
RETURN count(*) AS found
