// The last event of a connection, with the property names of the live connection and the properties of its type. The
// ends are read from the event, and the connection is looked up from the end with fewer relationships. The state is
// null if a change was committed between the two reads.
// mode: read
// params: domain, id, with_text
// returns: state, text
// subjects: id
MATCH (last:_Event)
USING INDEX last:_Event(_domain, _subject, _seq)
WHERE last._domain = $domain AND last._subject = $id AND last._seq > 0
WITH last
ORDER BY last._domain DESC, last._subject DESC, last._seq DESC
LIMIT 1
MATCH (a:_Node {_domain: $domain, _id: last._from})
MATCH (b:_Node {_domain: $domain, _id: last._to})
WITH CASE
  WHEN COUNT { (a)-->() } < COUNT { (b)<--() }
    THEN COLLECT { MATCH (a)-[r]->(other) WHERE r._id = $id AND r._domain = $domain AND other._id = last._to RETURN r }
  ELSE COLLECT { MATCH (b)<-[r]-(other) WHERE r._id = $id AND r._domain = $domain AND other._id = last._from RETURN r }
END AS present
UNWIND present AS r
MATCH (t:_ConnectionType {_domain: $domain, _name: type(r)})
OPTIONAL MATCH (e:_Event {_domain: $domain, _seq: r._version})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: CASE WHEN $with_text THEN e._content_sha256 END})
RETURN e {
         .*, _id: e._subject, _version: e._seq, _at: null, _inverse: t._inverse, _transitive: t._transitive, _created: toString(e._created), _modified: toString(e._modified)
       } AS state, c._text AS text
LIMIT 1
