// Sets the time at which keys expire, unless they expire earlier.
// mode: write
// params: hashes, at
// returns: -
UNWIND $hashes AS hash
MATCH (k:_AccessKey {_hash: hash})
WHERE coalesce(k._expires > $at, true)
SET k._expires = $at
