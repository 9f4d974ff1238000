// Current observations with the same text, ignoring case, of a few entities: the ids of the entities, up to a limit of texts.
// mode: read
// params: domain, most, limit
// returns: ids
MATCH (o:_Observation)
WHERE o._domain = $domain AND o._id IS NOT NULL AND coalesce(o._valid_to > datetime(), true)
MATCH (o)-[:_OBSERVES]->(n:_Node)
WHERE n._entity IS NOT NULL AND n._mentioned IS NULL
WITH normalize(toLower(o._text)) AS text, collect(DISTINCT n._id) AS ids
WHERE size(ids) > 1 AND size(ids) <= $most
RETURN ids
ORDER BY size(ids), text
LIMIT $limit
