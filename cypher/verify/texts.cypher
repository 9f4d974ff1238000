// Returns the small texts with these hashes, in one list.
// mode: read
// params: domain, hashes
// returns: found
UNWIND $hashes AS sha256
MATCH (c:_Content {_domain: $domain, _sha256: sha256})
RETURN collect([sha256, c._text]) AS found
