// The given events of a log, with their text if it is stored in Neo4j. Most of their times are strings, for speed.
// mode: read
// params: domain, seqs
// returns: event, text
UNWIND $seqs AS seq
MATCH (e:_Event {_domain: $domain, _seq: seq})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
RETURN e { .*, _at: toString(e._at), _created: toString(e._created), _modified: toString(e._modified) } AS event,
       c._text AS text
