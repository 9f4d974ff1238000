// Counts the events of a domain's log up to a number, and returns the number of the last change of the ontology.
// mode: read
// params: domain, until
// returns: events, ontology_version, created, compacted_to
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._seq <= $until
RETURN count(e) AS events,
       coalesce(max(CASE WHEN e._kind IN ['ontology', 'node_type', 'connection_type'] THEN e._seq END), 0)
         AS ontology_version,
       d._created AS created, d._compacted_to AS compacted_to
