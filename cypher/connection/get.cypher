// One connection with its ends, looked for under each connection type of the domain's ontology. No row: there is no
// such domain; a row with nulls: no such connection.
// mode: read
// params: domain, id
// returns: stored, from_id, to_id
MATCH (d:_Domain {_id: $domain})
OPTIONAL CALL () {
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  CALL (t) {
    MATCH (a)-[r:$(t._name) {_domain: $domain, _id: $id}]->(b)
    RETURN a, r, b
  }
  RETURN a, r, b
  LIMIT 1
}
RETURN properties(r) AS stored, a._id AS from_id, b._id AS to_id
