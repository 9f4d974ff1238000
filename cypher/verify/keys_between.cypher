// Returns the key rows of the owners after one id and up to another, in one list, because a row costs the driver more than
// its values.
// mode: read
// params: domain, after, last
// returns: found
MATCH (k:_Key)
WHERE k._domain = $domain AND k._owner > $after AND k._owner <= $last
RETURN collect([k._owner, k._kind, k._type, k._property, k._value]) AS found
