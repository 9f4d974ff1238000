// A page of domains, sorted by name, from the nodes of the domains and of their ontologies. Does not count nodes or
// connections.
// mode: read
// params: after, limit
// returns: name, created, modified, events, forked_from, forked_at, busy, node_types, connection_types, description, parent, children
MATCH (d:_Domain)
WHERE d._id > $after AND d._created IS NOT NULL AND d._seq IS NOT NULL
WITH d
ORDER BY d._id
LIMIT $limit
RETURN d._id AS name, d._created AS created, d._last_at AS modified, d._seq - coalesce(d._begins_at, 0) AS events,
       d._forked_from AS forked_from, d._forked_at AS forked_at, nullIf(d._state, 'ready') AS busy,
       COUNT { MATCH (t:_NodeType) WHERE t._domain = d._id AND t._name IS NOT NULL } AS node_types,
       COUNT { MATCH (t:_ConnectionType) WHERE t._domain = d._id AND t._name IS NOT NULL } AS connection_types,
       d._description AS description, d._parent AS parent,
       COLLECT { MATCH (c:_Domain) WHERE c._parent = d._id RETURN c._id ORDER BY c._id } AS children
ORDER BY name
