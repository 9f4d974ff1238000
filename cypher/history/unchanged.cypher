// Which of these nodes live and have not changed since a number of the log.
// mode: read
// params: domain, ids, at
// returns: id
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
WHERE n._version <= $at
RETURN id
