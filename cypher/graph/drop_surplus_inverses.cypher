// Deletes some of the second relationships that no type needs; `needed` has their types by the types of connections. One whose
// connection is of a type that has others, or none, is not needed although it has a name that another type gives.
// mode: write
// params: domain, needed, limit
// returns: found
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id IS NOT NULL
MATCH (a)-[i]->(:_Node)
WHERE i._domain = $domain AND i._inverse_of IS NOT NULL
CALL (i) {
  UNWIND [name IN keys($needed) WHERE $needed[name] = type(i)] AS name
  MATCH ()-[r:$(name) {_domain: $domain, _id: i._inverse_of}]->()
  RETURN count(*) AS owners
}
WITH i, owners
WHERE owners = 0
WITH i LIMIT $limit
DELETE i
RETURN count(*) AS found
