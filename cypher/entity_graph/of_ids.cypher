// The names of the entities of these ids. An id that is the name of an entity itself is left out: there it is the name.
// mode: read
// params: domain, ids
// returns: id, name
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
WHERE n._entity IS NOT NULL AND n._mentioned IS NULL
  AND NOT EXISTS { MATCH (m:_Node {_domain: $domain, _entity_name: id}) WHERE m.name = id AND m._mentioned IS NULL }
RETURN id, n.name AS name
