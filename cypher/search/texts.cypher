// The content of nodes, for a needle longer than a window's overlap: the text where it is small, else null.
// mode: read
// params: domain, ids
// returns: id, event, text
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
MATCH (e:_Event {_domain: $domain, _seq: n._version})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
RETURN id, properties(e) AS event, c._text AS text
ORDER BY id
