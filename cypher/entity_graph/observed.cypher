// For each entity name with texts: the entity, the time at which its validity ended, if it did, and its observations
// with one of the texts (id, text, version).
// mode: read
// params: domain, rows
// returns: name, id, over, matches
UNWIND $rows AS row
CALL (row) {
  WITH row.name AS name
  MATCH (n:_Node {_domain: $domain, _entity_name: CASE WHEN size(name) <= 1000 THEN name ELSE toString(size(name)) END})
  WHERE n.name = name AND n._mentioned IS NULL
  RETURN n
}
OPTIONAL MATCH (n)<-[:_OBSERVES]-(o:_Observation)
WHERE o._text IN row.texts AND coalesce(o._valid_to > datetime(), true)
RETURN row.name AS name, n._id AS id, CASE WHEN n._valid_to <= datetime() THEN n._valid_to END AS over, [one IN collect([o._id, o._text, o._version]) WHERE one[0] IS NOT NULL] AS matches
