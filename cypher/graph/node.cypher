// One node as its last event has it, in the names of the live node: an event never changes, so no reader sees half of an
// update. No state: the two were read on either side of a change. Nothing is looked up by a null.
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
