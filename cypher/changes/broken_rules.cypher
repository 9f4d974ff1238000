// Which of these connections break a rule of their type: one of it from a node, one to a node, one from a node to another,
// no cycles; `other` is the one that leads from the same node to the same. What comes
// after a connection in `turns`, if it is there, does not count against it. A connection may be there already, or not.
// Rules are asked within the subqueries too, or Neo4j would look for paths of types that may have cycles.
// mode: read
// params: domain, rows, turns
// returns: id, rule, other
UNWIND $rows AS row
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
WITH row, a, b, coalesce($turns[row.id], 0) AS turn
WITH row,
  'source' IN row.rules AND EXISTS {
    MATCH (a)-[r:$(row.type)]->() WHERE r._domain = $domain AND r._id <> row.id AND coalesce($turns[r._id], 0) <= turn
  } AS source_taken,
  'target' IN row.rules AND EXISTS {
    MATCH ()-[r:$(row.type)]->(b) WHERE r._domain = $domain AND r._id <> row.id AND coalesce($turns[r._id], 0) <= turn
  } AS target_taken,
  head(COLLECT {
    MATCH (a)-[r:$(row.type)]->(b)
    WHERE 'pair' IN row.rules AND r._domain = $domain AND r._id <> row.id AND coalesce($turns[r._id], 0) <= turn
    RETURN r._id
    ORDER BY r._version
    LIMIT 1
  }) AS other,
  'cycle' IN row.rules AND (row.from = row.to OR EXISTS {
    MATCH (b) WHERE 'cycle' IN row.rules
    MATCH p = SHORTEST 1 (b)-[r:$(row.type)
      WHERE r._domain = $domain AND r._id IS NOT NULL AND coalesce($turns[r._id], 0) <= turn]->+(a)
  }) AS closes
WHERE source_taken OR target_taken OR other IS NOT NULL OR closes
RETURN row.id AS id,
       CASE
         WHEN other IS NOT NULL THEN 'pair'
         WHEN source_taken THEN 'source'
         WHEN target_taken THEN 'target'
         ELSE 'cycle'
       END AS rule, other
