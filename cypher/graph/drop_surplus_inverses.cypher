// Deletes some of the inverse relationships that no type needs. `needed` maps connection types to the types of their
// inverse relationships.
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
