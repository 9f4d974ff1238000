// The details of entities: creation time and author, last change of the entity or its observations, stored fields,
// and current observations as lists of id, text, time, source and confidence. `logs` are the logs that contain the
// history of the domain.
// mode: read
// params: domain, ids, logs
// returns: id, created_at, updated_at, created_by, stored, observations
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
CALL (n) {
  UNWIND $logs AS log
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = log AND e._subject = n._id AND e._seq > 0
  RETURN coalesce(e._actor, e._source) AS created_by
  ORDER BY e._seq
  LIMIT 1
}
CALL (n) {
  OPTIONAL MATCH (n)<-[:_OBSERVES]-(o:_Observation)
  OPTIONAL MATCH (e:_Event {_domain: $domain, _seq: o._version})
  RETURN max(coalesce(e._at, o._created)) AS observed
}
RETURN id, n._created AS created_at, CASE WHEN observed > n._modified THEN observed ELSE n._modified END AS updated_at,
       created_by, properties(n) AS stored, COLLECT {
         MATCH (n)<-[:_OBSERVES]-(o:_Observation)
         WHERE coalesce(o._valid_to > datetime(), true)
         RETURN [o._id, o._text, o._time, o._origin, o._confidence]
         ORDER BY o._created, coalesce(o._place, 0), o._id
       } AS observations
