// Returns the live inverse relationships of connections, which lead between their ends in the opposite direction.
// mode: read
// params: domain, rows
// returns: owner, type, stored
UNWIND $rows AS row
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
WITH row, CASE WHEN COUNT { (a)-->() } < COUNT { (b)<--() }
  THEN COLLECT { MATCH (a)-[i]->(other) WHERE i._inverse_of = row.owner AND other._id = row.to RETURN i }
  ELSE COLLECT { MATCH (b)<-[i]-(other) WHERE i._inverse_of = row.owner AND other._id = row.from RETURN i }
END AS present
UNWIND present AS i
RETURN row.owner AS owner, type(i) AS type, properties(i) AS stored
