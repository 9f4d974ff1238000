// Creates a key, unless a key with this hash exists. A repeated statement changes nothing.
// mode: write
// params: hash, name, prefix, grants, toolsets, at, expires
// returns: -
MERGE (k:_AccessKey {_hash: $hash})
ON CREATE SET k._name = $name, k._prefix = $prefix, k._grants = $grants, k._toolsets = $toolsets, k._created = $at,
              k._expires = $expires
