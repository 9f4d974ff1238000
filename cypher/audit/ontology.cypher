// A domain's ontology as its log has it: the last event of each type that was not taken back, in order of declaration.
// mode: read
// params: domain
// returns: stored
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0
  AND (e._subject = 'ontology' OR e._subject STARTS WITH 'node_type/' OR e._subject STARTS WITH 'connection_type/')
WITH e
ORDER BY e._seq
WITH e._subject AS subject, collect(e)[-1] AS last
WHERE last._op <> 'delete'
RETURN properties(last) AS stored
ORDER BY last._seq
