// One connection as its last event has it, looked for under each connection type of the domain's ontology. No row:
// there is no such domain; `is_found` and no event: the two were read on either side of a change.
// mode: read
// params: domain, id
// returns: is_found, event, text
// subjects: id
MATCH (d:_Domain {_id: $domain})
OPTIONAL CALL () {
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  CALL (t) {
    MATCH ()-[r:$(t._name) {_domain: $domain, _id: $id}]->()
    RETURN r
  }
  RETURN r
  LIMIT 1
}
OPTIONAL MATCH (e:_Event {_domain: $domain, _seq: r._version})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
RETURN r IS NOT NULL AS is_found,
       e {.*, _at: toString(e._at), _created: toString(e._created), _modified: toString(e._modified)} AS event, c._text AS text
