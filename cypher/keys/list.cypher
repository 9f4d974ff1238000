// All keys, sorted by name. Among keys with the same name, the newest comes first.
// mode: read
// params: -
// returns: hash, name, prefix, grants, toolsets, created, expires, used
MATCH (k:_AccessKey)
WHERE k._hash IS NOT NULL
RETURN k._hash AS hash, k._name AS name, k._prefix AS prefix, k._grants AS grants, k._toolsets AS toolsets,
       k._created AS created, k._expires AS expires, k._used AS used
ORDER BY name, created DESC
