// Deletes inline texts by their hashes.
// mode: write
// params: domain, hashes
// returns: -
UNWIND $hashes AS sha256
MATCH (c:_Content {_domain: $domain, _sha256: sha256})
DELETE c
