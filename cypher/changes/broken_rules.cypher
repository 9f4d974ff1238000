// Which of these connections break a rule of their type: only one of it from a node, to a node, or from one node to
// another, no cycles, and none that says from the other end, under the name of the inverse, what another says that still
// holds; `other` is the connection that is in the way. `nodes` are the ids and titles of the nodes that the error names: the
// two ends, those of `other`, and in a cycle all nodes on the way from the target back to the source. What comes after a connection in `turns`, if it
// is there, does not count against it. A connection may be there already, or not. One with an event `before` was there
// already: it is asked about only if it had ended by that event, and now holds again.
// Rules are asked within the subqueries too, or Neo4j would look for paths of types that may have cycles. Whichever way a
// type is given as data, Neo4j looks through all connections of a node for it, so what either end can answer is asked of
// the one with fewer. A connection is never looked for with both ends given: a plan made while the database was empty
// would look through all connections of the database for it.
// mode: read
// params: domain, rows, turns
// returns: id, rule, other, nodes
UNWIND $rows AS row
OPTIONAL MATCH (before:_Event {_domain: $domain, _seq: row.before})
WITH row, before
WHERE row.before IS NULL OR before._valid_to <= datetime()
MATCH (a:_Node {_domain: $domain, _id: row.from})
MATCH (b:_Node {_domain: $domain, _id: row.to})
WITH row, a, b, coalesce($turns[row.id], 0) AS turn
WITH row, a, b, turn,
  head(COLLECT {
    MATCH (a)-[r]->()
    WHERE 'source' IN row.rules AND type(r) = row.type AND r._domain = $domain AND r._id <> row.id
      AND coalesce($turns[r._id], 0) <= turn
    RETURN r
    LIMIT 1
  }) AS of_source,
  head(COLLECT {
    MATCH ()-[r]->(b)
    WHERE 'target' IN row.rules AND type(r) = row.type AND r._domain = $domain AND r._id <> row.id
      AND coalesce($turns[r._id], 0) <= turn
    RETURN r
    LIMIT 1
  }) AS of_target,
  head(CASE WHEN COUNT { (a)-->() } < COUNT { (b)<--() }
    THEN COLLECT {
      MATCH (a)-[r]->(other)
      WHERE 'pair' IN row.rules AND type(r) = row.type AND r._domain = $domain AND r._id <> row.id
        AND coalesce($turns[r._id], 0) <= turn AND other._id = row.to
      RETURN r
      ORDER BY r._version
      LIMIT 1
    }
    ELSE COLLECT {
      MATCH (other)-[r]->(b)
      WHERE 'pair' IN row.rules AND type(r) = row.type AND r._domain = $domain AND r._id <> row.id
        AND coalesce($turns[r._id], 0) <= turn AND other._id = row.from
      RETURN r
      ORDER BY r._version
      LIMIT 1
    }
  END) AS of_pair,
  head(CASE WHEN COUNT { (a)<--() } < COUNT { (b)-->() }
    THEN COLLECT {
      MATCH (a)<-[r]-(other)
      WHERE 'inverse' IN row.rules AND type(r) = row.other_name AND r._domain = $domain AND r._id <> row.id
        AND coalesce($turns[r._id], 0) <= turn AND other._id = row.to AND coalesce(r._valid_to > datetime(), true)
      RETURN r
      ORDER BY r._version
      LIMIT 1
    }
    ELSE COLLECT {
      MATCH (b)-[r]->(other)
      WHERE 'inverse' IN row.rules AND type(r) = row.other_name AND r._domain = $domain AND r._id <> row.id
        AND coalesce($turns[r._id], 0) <= turn AND other._id = row.from AND coalesce(r._valid_to > datetime(), true)
      RETURN r
      ORDER BY r._version
      LIMIT 1
    }
  END) AS of_inverse,
  'cycle' IN row.rules AND (row.from = row.to OR CASE WHEN COUNT { (a)<--() } < COUNT { (b)-->() }
    THEN EXISTS {
      MATCH (a) WHERE 'cycle' IN row.rules
      MATCH p = SHORTEST 1 (a)<-[r:$(row.type)
        WHERE r._domain = $domain AND r._id IS NOT NULL AND coalesce($turns[r._id], 0) <= turn]-+(b)
    }
    ELSE EXISTS {
      MATCH (b) WHERE 'cycle' IN row.rules
      MATCH p = SHORTEST 1 (b)-[r:$(row.type)
        WHERE r._domain = $domain AND r._id IS NOT NULL AND coalesce($turns[r._id], 0) <= turn]->+(a)
    }
  END) AS closes
WITH row, a, b, turn, of_inverse, of_pair, of_source, of_target,
     coalesce(of_inverse, of_pair, of_source, of_target) AS other, closes
WHERE other IS NOT NULL OR closes
OPTIONAL CALL (row, a, b, turn, other) {
  MATCH p = SHORTEST 1 (b)-[r:$(row.type)
    WHERE r._domain = $domain AND r._id IS NOT NULL AND coalesce($turns[r._id], 0) <= turn]->+(a)
  WHERE other IS NULL AND row.from <> row.to
  RETURN [n IN nodes(p) | [n._id, n._title]] AS way
}
RETURN row.id AS id,
       CASE
         WHEN of_inverse IS NOT NULL THEN 'inverse'
         WHEN of_pair IS NOT NULL THEN 'pair'
         WHEN of_source IS NOT NULL THEN 'source'
         WHEN of_target IS NOT NULL THEN 'target'
         ELSE 'cycle'
       END AS rule, other._id AS other,
       CASE
         WHEN other IS NOT NULL THEN [
           [a._id, a._title], [b._id, b._title],
           [startNode(other)._id, startNode(other)._title], [endNode(other)._id, endNode(other)._title]
         ]
         ELSE coalesce(way, [[a._id, a._title]])
       END AS nodes
