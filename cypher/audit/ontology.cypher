// A domain's ontology as its log has it: types are added, never changed, so each has one event.
// mode: read
// params: domain
// returns: stored
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0
  AND (e._subject = 'ontology' OR e._subject STARTS WITH 'node_type/' OR e._subject STARTS WITH 'connection_type/')
RETURN properties(e) AS stored
ORDER BY e._seq
