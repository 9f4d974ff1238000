// What the connections of a type that leave the next few nodes join, and have of some properties: lists of id, types of the
// ends, id of the target, and values; one row for each node, because a row costs the driver more than what is in it.
// mode: read
// params: domain, type, names, after, limit
// returns: source, found
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id > $after
WITH a ORDER BY a._domain, a._id LIMIT $limit
OPTIONAL MATCH (a)-[r:$($type)]->(b:_Node)
WHERE r._domain = $domain AND r._id IS NOT NULL
WITH a._id AS source, a._type AS from_type, collect([r, b]) AS pairs
RETURN source,
       [pair IN pairs WHERE pair[0] IS NOT NULL |
         [pair[0]._id, from_type, pair[1]._type, pair[1]._id, [name IN $names | pair[0][name]]]] AS found
ORDER BY source
