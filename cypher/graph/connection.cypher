// The last event of a connection, with the property names of the live one and the properties of its type. It is
// looked up under each connection type of the domain's ontology. No state: connection and event were read before and
// after a change. Null keys are never looked up.
// mode: read
// params: domain, id, with_text
// returns: state, text
// subjects: id
CALL () {
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  CALL (t) {
    MATCH ()-[r:$(t._name) {_domain: $domain, _id: $id}]->()
    RETURN r
  }
  RETURN r, t
  LIMIT 1
}
OPTIONAL MATCH (e:_Event {_domain: $domain, _seq: r._version})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: CASE WHEN $with_text THEN e._content_sha256 END})
RETURN e {
         .*, _id: e._subject, _version: e._seq, _at: null, _inverse: t._inverse, _transitive: t._transitive, _created: toString(e._created), _modified: toString(e._modified)
       } AS state, c._text AS text
