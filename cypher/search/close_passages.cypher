// Ends passages with the event that changed them, by owner and place. A passage that was current for less than
// `lived` microseconds no longer waits for a vector.
// mode: write
// params: domain, rows, open, open_token, lived
// returns: closed
UNWIND $rows AS row
MATCH (p:_Passage {_domain: $domain, _owner: row.owner, _until: $open})
WITH p, row.ended[p._place] AS ended
WHERE ended IS NOT NULL
SET p._until = ended.until, p._filter = replace(p._filter, $open_token, ended.token)
FOREACH (_ IN CASE WHEN ended.at - p._at < $lived THEN [0] ELSE [] END | REMOVE p:_NewPassage)
RETURN count(*) AS closed
