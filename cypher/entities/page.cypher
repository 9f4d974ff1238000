// The entities of a domain that were created after a position (time, place and id), with their observations, the relations from
// each to another entity, and the relations to it from names without an entity.
// mode: read
// params: domain, created, place, id, limit
// returns: id, name, type, observations, created, place, relations
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._mentioned IS NULL
WITH n, n._created AS created, coalesce(n._place, 0) AS place, n._id AS id
WHERE $created IS NULL OR created > $created
   OR created = $created AND (place > $place OR place = $place AND id > $id)
WITH n, created, place, id
ORDER BY created, place, id
LIMIT $limit
RETURN id, n.name AS name, n._entity AS type, COLLECT {
         MATCH (n)<-[:_OBSERVES]-(o:_Observation)
         WHERE coalesce(o._valid_to > datetime(), true)
         RETURN o._text
         ORDER BY o._created, coalesce(o._place, 0), o._id
       } AS observations, created, place, COLLECT {
         MATCH (n)-[r]-(:_Node)
         WHERE r._id IS NOT NULL AND coalesce(r._valid_to > datetime(), true)
         WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b
         WHERE b._entity IS NOT NULL AND a._entity IS NOT NULL AND (a = n OR a._mentioned)
         ORDER BY r._created, coalesce(r._place, 0), r._id
         RETURN [a.name, b.name, coalesce(r._relation, type(r))]
       } AS relations
ORDER BY created, place, id
