// The current relations of a domain between two names that have no entities, in order of creation.
// mode: read
// params: domain
// returns: from_name, to_name, type
MATCH (a:_Node)
WHERE a._domain = $domain AND a._entity_name IS NOT NULL AND a._mentioned
MATCH (a)-[r]->(b:_Node)
WHERE r._id IS NOT NULL AND b._mentioned AND coalesce(r._valid_to > datetime(), true)
WITH a, r, b
ORDER BY r._created, coalesce(r._place, 0), r._id
RETURN a.name AS from_name, b.name AS to_name, coalesce(r._relation, type(r)) AS type
