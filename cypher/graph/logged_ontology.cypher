// A domain's ontology at a log position: the last event of each type that was not removed, in order of declaration.
// mode: read
// params: domain, until
// returns: stored
UNWIND ['ontology', 'node_type/', 'connection_type/'] AS prefix
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $domain AND e._subject STARTS WITH prefix AND e._seq > 0 AND e._seq <= $until
  AND e._kind IN ['ontology', 'node_type', 'connection_type']
WITH e ORDER BY e._seq
WITH e._subject AS subject, collect(e)[-1] AS last
WHERE last._op <> 'delete'
RETURN properties(last) AS stored
ORDER BY coalesce(last._declared, last._seq)
