// The key with the hash of a secret.
// mode: read
// params: hash
// returns: hash, name, prefix, grants, toolsets, created, expires, used
MATCH (k:_AccessKey {_hash: $hash})
RETURN k._hash AS hash, k._name AS name, k._prefix AS prefix, k._grants AS grants, k._toolsets AS toolsets,
       k._created AS created, k._expires AS expires, k._used AS used
