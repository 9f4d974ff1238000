// Connections without their content, as their last events have them, with the titles of their ends. Each is
// looked for under every connection type of the domain's ontology. An id without a live connection gives no row, nor
// does one that was read on either side of a change.
// mode: read
// params: domain, ids
// returns: id, type, from_id, from_title, to_id, to_title, modified, version, event
MATCH (t:_ConnectionType)
WHERE t._domain = $domain AND t._name IS NOT NULL
UNWIND $ids AS id
CALL (t, id) {
  MATCH (a)-[r:$(t._name) {_domain: $domain, _id: id}]->(b)
  RETURN a._title AS from_title, r._version AS version, b._title AS to_title
}
MATCH (e:_Event {_domain: $domain, _seq: version})
WHERE e._subject = id
RETURN id, e._type AS type, e._from AS from_id, from_title, e._to AS to_id, to_title, e._modified AS modified,
       e._seq AS version, properties(e) AS event
