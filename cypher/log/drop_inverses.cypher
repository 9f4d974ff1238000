// Deletes the inverse relationships of connections. Each leads from the target of its connection to the source.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_inverses AS row
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
WITH row, CASE WHEN COUNT { (a)-->() } < COUNT { (b)<--() }
  THEN COLLECT { MATCH (a)-[i]->(other) WHERE i._inverse_of = row.owner AND other._id = row.to RETURN i }
  ELSE COLLECT { MATCH (b)<-[i]-(other) WHERE i._inverse_of = row.owner AND other._id = row.from RETURN i }
END AS present
FOREACH (i IN present | DELETE i)
RETURN count(*) AS found
