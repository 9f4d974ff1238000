// The entities with these names, and the names that occur only as ends of relations, each once. Long names are looked
// up by their length.
// mode: read
// params: domain, names
// returns: name, id, type, version, is_mentioned
UNWIND $names AS name
MATCH (n:_Node {_domain: $domain, _entity_name: CASE WHEN size(name) <= 1000 THEN name ELSE toString(size(name)) END})
WHERE n.name = name
RETURN name, n._id AS id, n._type AS type, n._version AS version, n._mentioned IS NOT NULL AS is_mentioned
