// Writes the inverse relationships of connections: one for each, between its swapped ends. Existing relationships are
// kept. A relationship of the type `stays` is left unchanged. Each is looked up from the end with fewer relationships,
// because relationships are not indexed.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_inverses AS row
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
WITH row, a, b, CASE
  WHEN row.is_new THEN []
  WHEN COUNT { (a)-->() } < COUNT { (b)<--() }
    THEN COLLECT { MATCH (a)-[i]->(other) WHERE i._inverse_of = row.owner AND other._id = row.to RETURN i }
  ELSE COLLECT { MATCH (b)<-[i]-(other) WHERE i._inverse_of = row.owner AND other._id = row.from RETURN i }
END AS present
WITH row, a, b, present, head([i IN present WHERE type(i) = row.type]) AS kept
FOREACH (i IN [i IN present WHERE (i <> kept OR kept IS NULL) AND type(i) <> row.stays] | DELETE i)
FOREACH (i IN CASE WHEN kept IS NULL THEN [] ELSE [kept] END |
  SET i = row.state, i._created = datetime(row.state._created), i._modified = datetime(row.state._modified))
FOREACH (_ IN CASE WHEN kept IS NULL THEN [1] ELSE [] END |
  CREATE (a)-[i:$(row.type)]->(b)
  SET i = row.state, i._created = datetime(row.state._created), i._modified = datetime(row.state._modified))
RETURN count(*) AS found
