// The last event of the domain itself, up to a number of its log.
// mode: read
// params: domain, until
// returns: stored
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $domain AND e._subject = 'domain' AND e._seq > 0 AND e._seq <= $until
RETURN properties(e) AS stored
ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
LIMIT 1
