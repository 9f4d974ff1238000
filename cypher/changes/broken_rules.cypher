// The given connections that break a rule of their type: unique source, unique target, unique pair, no cycles, and no
// repetition of a valid connection from its other end under the name of the inverse. `other` is the conflicting
// connection. `nodes` are the ids and titles for the error: the ends of both connections, or the nodes of a cycle from
// the target back to the source. Connections that follow a connection in `turns` do not conflict with it. A given
// connection may already exist. If it has an event number `before`, it already existed, and is checked only if it had
// ended by that event and is valid again. The subqueries repeat the rules, or Neo4j would look for paths of types that
// may have cycles. For a type that is a parameter, Neo4j scans all connections of a node, so the end with fewer
// connections is scanned. No pattern has both ends bound: a plan made while the database was empty would scan all
// connections of the database.
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
