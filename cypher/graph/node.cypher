// One node as its last event has it: an event never changes, so no reader sees half of an update. No row: there is no
// such domain; `is_found` and no event: the two were read on either side of a change.
// mode: read
// params: domain, id
// returns: is_found, event, text
// subjects: id
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (n:_Node {_domain: $domain, _id: $id})
OPTIONAL MATCH (e:_Event {_domain: $domain, _seq: n._version})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
RETURN n IS NOT NULL AS is_found,
       e {.*, _at: toString(e._at), _created: toString(e._created), _modified: toString(e._modified)} AS event, c._text AS text
