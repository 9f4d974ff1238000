// Returns the subjects that were changed in a range of a log, except the domain itself.
// mode: read
// params: domain, after, until
// returns: subject
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $until AND NOT e._kind IN ['domain', 'ontology']
RETURN DISTINCT e._subject AS subject
ORDER BY subject
