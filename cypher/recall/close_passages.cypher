// Ends passages with the event that changed them. One that lived less than `lived` microseconds gets no vector any more.
// mode: write
// params: domain, rows, open, open_token, lived
// returns: closed
UNWIND $rows AS row
MATCH (p:_Passage {_domain: $domain, _owner: row.owner, _until: $open})
WHERE p._place = row.place
SET p._until = row.until, p._filter = replace(p._filter, $open_token, row.token)
FOREACH (_ IN CASE WHEN row.at - p._at < $lived THEN [0] ELSE [] END | REMOVE p:_NewPassage)
RETURN count(*) AS closed
