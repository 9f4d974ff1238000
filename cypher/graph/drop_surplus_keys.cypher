// Deletes some of the keys that no type needs. `needed` lists the kind, type and property of the needed keys.
// mode: write
// params: domain, needed, limit
// returns: found
MATCH (k:_Key)
WHERE k._domain = $domain AND k._owner IS NOT NULL AND NOT [k._kind, k._type, k._property] IN $needed
WITH k LIMIT $limit
DELETE k
RETURN count(*) AS found
