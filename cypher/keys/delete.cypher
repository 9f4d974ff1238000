// Deletes keys.
// mode: write
// params: hashes
// returns: -
UNWIND $hashes AS hash
MATCH (k:_AccessKey {_hash: hash})
DETACH DELETE k
