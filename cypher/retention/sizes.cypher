// Returns the lengths of small texts in characters.
// mode: read
// params: domain, hashes
// returns: sha256, size
UNWIND $hashes AS sha256
MATCH (c:_Content {_domain: $domain, _sha256: sha256})
RETURN sha256, size(c._text) AS size
