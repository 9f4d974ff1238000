// Records that a key was used.
// mode: write
// params: hash, at
// returns: -
MATCH (k:_AccessKey {_hash: $hash})
SET k._used = $at
