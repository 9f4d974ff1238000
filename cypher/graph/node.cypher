// The last event of a node, with the property names of the live node. Events are immutable, so no read sees a part
// of an update. The state is null if a change was committed between the two reads. Null keys are never looked up.
// mode: read
// params: domain, id, with_text
// returns: state, text
// subjects: id
MATCH (n:_Node {_domain: $domain, _id: $id})
OPTIONAL MATCH (e:_Event {_domain: $domain, _seq: n._version})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: CASE WHEN $with_text THEN e._content_sha256 END})
RETURN e {
         .*, _id: e._subject, _version: e._seq, _at: null, _created: toString(e._created), _modified: toString(e._modified)
       } AS state, c._text AS text
