// Current observations of entities with ids below a given id, up to a limit.
// mode: read
// params: domain, before, limit
// returns: name, aliases, id, text
MATCH (o:_Observation)
WHERE o._domain = $domain AND o._id >= 'obs_' AND o._id < $before AND coalesce(o._valid_to > datetime(), true)
MATCH (o)-[:_OBSERVES]->(n:_Node)
WHERE n._entity IS NOT NULL AND n._mentioned IS NULL AND size(o._text) <= 2000
RETURN n.name AS name, CASE WHEN n.aliases IS :: STRING THEN n.aliases END AS aliases, o._id AS id, o._text AS text
LIMIT $limit
