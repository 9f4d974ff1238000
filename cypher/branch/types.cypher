// What defines a domain's ontology as of a number of its log, in order of declaration.
// mode: read
// params: source, at
// returns: event
MATCH (e:_Event)
WHERE e._domain = $source AND e._seq > 0 AND e._seq <= $at
  AND (e._subject = 'ontology' OR e._subject STARTS WITH 'node_type/' OR e._subject STARTS WITH 'connection_type/')
RETURN properties(e) AS event
ORDER BY e._seq
