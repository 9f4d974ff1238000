// All entities of a domain in order of creation, with their observations.
// mode: read
// params: domain
// returns: id, name, type, observations, aliases
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._mentioned IS NULL
WITH n
ORDER BY n._created, coalesce(n._place, 0), n._id
RETURN n._id AS id, n.name AS name, n._entity AS type, COLLECT {
         MATCH (n)<-[:_OBSERVES]-(o:_Observation)
         WHERE coalesce(o._valid_to > datetime(), true)
         RETURN o._text
         ORDER BY o._created, coalesce(o._place, 0), o._id
       } AS observations, CASE WHEN n.aliases IS :: STRING NOT NULL THEN n.aliases END AS aliases
