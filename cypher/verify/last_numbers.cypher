// Returns the numbers of the last events of the next subjects in a domain's log, in the order of ids, from the index alone.
// mode: read
// params: domain, after, limit
// returns: last, numbers
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $domain AND e._subject > $after AND e._seq > 0
WITH e._domain AS domain, e._subject AS id, max(e._seq) AS seq
ORDER BY domain, id
LIMIT $limit
RETURN max(id) AS last, collect(seq) AS numbers
