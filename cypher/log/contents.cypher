// The inline texts with these hashes.
// mode: read
// params: domain, hashes
// returns: sha256, text
UNWIND $hashes AS sha256
MATCH (c:_Content {_domain: $domain, _sha256: sha256})
RETURN sha256, c._text AS text
