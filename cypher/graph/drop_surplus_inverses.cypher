// Deletes some of the inverse relationships that no type needs. `needed` maps connection types to the types of their
// inverse relationships.
// mode: write
// params: domain, needed, limit
// returns: found
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id IS NOT NULL
MATCH (a)-[i]->(b:_Node)
WHERE i._domain = $domain AND i._inverse_of IS NOT NULL
WITH i, CASE
  WHEN COUNT { (a)<--() } < COUNT { (b)-->() }
    THEN COLLECT { MATCH (a)<-[r]-(other) WHERE r._id = i._inverse_of AND r._domain = $domain AND other._id = b._id RETURN type(r) }
  ELSE COLLECT { MATCH (b)-[r]->(other) WHERE r._id = i._inverse_of AND r._domain = $domain AND other._id = a._id RETURN type(r) }
END AS owner_types
WHERE none(name IN owner_types WHERE coalesce($needed[name] = type(i), false))
WITH i LIMIT $limit
DELETE i
RETURN count(*) AS found
