// The names of the entities with these ids. An id that is also the name of an entity is omitted, because the name takes
// precedence.
// mode: read
// params: domain, ids
// returns: id, name
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
WHERE n._entity IS NOT NULL AND n._mentioned IS NULL
  AND NOT EXISTS { MATCH (m:_Node {_domain: $domain, _entity_name: id}) WHERE m.name = id AND m._mentioned IS NULL }
RETURN id, n.name AS name
