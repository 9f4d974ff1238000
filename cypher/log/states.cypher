// Events of a log by position, with inline texts.
// mode: read
// params: source, seqs
// returns: event, text
UNWIND $seqs AS seq
MATCH (e:_Event {_domain: $source, _seq: seq})
OPTIONAL MATCH (c:_Content {_domain: $source, _sha256: e._content_sha256})
RETURN properties(e) AS event, c._text AS text
