// The connections of a type from the next few nodes, as lists of id, types of the ends, target id and property
// values. One row per node, because a row costs the driver more than its contents.
// mode: read
// params: domain, type, names, after, limit
// returns: source, connections
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id > $after
WITH a ORDER BY a._domain, a._id LIMIT $limit
OPTIONAL MATCH (a)-[r:$($type)]->(b:_Node)
WHERE r._domain = $domain AND r._id IS NOT NULL
WITH a._id AS source, a._type AS from_type, collect([r, b]) AS pairs
RETURN source,
       [pair IN pairs WHERE pair[0] IS NOT NULL |
         [pair[0]._id, from_type, pair[1]._type, pair[1]._id, [name IN $names | pair[0][name]]]] AS connections
ORDER BY source
