// Appends the creation events of observations, and creates the observations, as for nodes.
// mode: write
// params: domain, rows
// returns: found
WITH datetime($rows.create_observations.at) AS at, $rows.create_observations.event AS event
WITH event {.*, _at: at, _created: at, _time: at} AS event, {_domain: $domain, _created: at, _time: at} AS live
UNWIND $rows.create_observations.rows AS row
MATCH (n:_Node {_domain: $domain, _id: row.event._from})
CREATE (e:_Event)
SET e = event, e += row.state, e += row.event
CREATE (o:_Observation)-[:_OBSERVES]->(n)
SET o = live, o += row.state, o += row.live
FOREACH (text IN row.searched | SET o._folded = normalize(toLower(text)))
RETURN count(*) AS found
