// Deletes connections from the live graph. Each is looked up from the end with fewer relationships, because connections
// are not indexed.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_connections AS row
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
WITH row, CASE
  WHEN COUNT { (a)-->() } < COUNT { (b)<--() }
    THEN COLLECT { MATCH (a)-[r]->(other) WHERE r._id = row.id AND r._domain = $domain AND other._id = row.to RETURN r }
  ELSE COLLECT { MATCH (b)<-[r]-(other) WHERE r._id = row.id AND r._domain = $domain AND other._id = row.from RETURN r }
END AS present
FOREACH (r IN present | DELETE r)
RETURN count(*) AS found
