// The entities with these names in order of creation, with their observations and their incoming and outgoing
// relations. `properties` are the properties of each entity except its name, as pairs.
// mode: read
// params: domain, names
// returns: entities, relations, properties
UNWIND $names AS name
MATCH (n:_Node {_domain: $domain, _entity_name: CASE WHEN size(name) <= 1000 THEN name ELSE toString(size(name)) END})
WHERE n.name = name AND n._mentioned IS NULL
WITH n, COLLECT {
  MATCH (n)<-[:_OBSERVES]-(o:_Observation)
  WHERE coalesce(o._valid_to > datetime(), true)
  RETURN o._text
  ORDER BY o._created, coalesce(o._place, 0), o._id
} AS observations
ORDER BY n._created, coalesce(n._place, 0), n._id
WITH collect([n._id, n.name, n._entity, observations]) AS entities, collect(n) AS nodes,
     collect([key IN keys(n) WHERE NOT key STARTS WITH '_' AND key <> 'name' | [key, n[key]]]) AS properties
CALL (nodes) {
  UNWIND nodes AS n
  MATCH (n)-[r]-(:_Node)
  WHERE r._id IS NOT NULL AND coalesce(r._valid_to > datetime(), true)
  WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b
  WHERE a._entity IS NOT NULL AND b._entity IS NOT NULL
  ORDER BY r._created, coalesce(r._place, 0), r._id
  RETURN collect([a.name, b.name, coalesce(r._relation, type(r)), coalesce(r._valid_from, r._created)]) AS relations
}
RETURN entities, relations, properties
