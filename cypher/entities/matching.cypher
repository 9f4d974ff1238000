// Entities whose name, type or observations contain one form of a lower-case text according to the text indexes, and contain a
// form of each of the others. Texts with a line break may match a name and type together. Records that are not indexed, because
// they are new or long, are scanned first, so a text that is indexed concurrently may be found twice, but is never missed.
// `waiting` is the number of new records, up to `many`. Columns are as in `opened`.
// mode: read
// params: domain, forms, others, many
// returns: entities, relations, aliases, waiting
CALL () {
  UNWIND $forms AS text
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._is_long IS NOT NULL
    AND normalize(toLower(n.name + '\n' + n._entity + CASE WHEN n.aliases IS :: STRING NOT NULL THEN '\n' + n.aliases ELSE '' END))
      CONTAINS text
  RETURN n
  UNION
  UNWIND $forms AS text
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._is_long IS NOT NULL AND normalize(toLower(o._text)) CONTAINS text
    AND coalesce(o._valid_to > datetime(), true)
  MATCH (o)-[:_OBSERVES]->(n:_Node)
  WHERE n._entity IS NOT NULL AND n._mentioned IS NULL
  RETURN n
  UNION
  UNWIND $forms AS text
  MATCH (n:_Node)
  USING TEXT INDEX n:_Node(_folded)
  WHERE n._folded CONTAINS text AND n._domain = $domain
  RETURN n
  UNION
  UNWIND $forms AS text
  MATCH (o:_Observation)
  USING TEXT INDEX o:_Observation(_folded)
  WHERE o._folded CONTAINS text AND o._domain = $domain AND coalesce(o._valid_to > datetime(), true)
  MATCH (o)-[:_OBSERVES]->(n:_Node)
  WHERE n._entity IS NOT NULL AND n._mentioned IS NULL
  RETURN n
}
WITH n
WHERE all(other IN $others WHERE any(form IN other WHERE coalesce(
  n._folded, normalize(toLower(n.name + '\n' + n._entity + CASE WHEN n.aliases IS :: STRING NOT NULL THEN '\n' + n.aliases ELSE '' END))
) CONTAINS form) OR EXISTS {
  MATCH (n)<-[:_OBSERVES]-(o:_Observation)
  WHERE any(form IN other WHERE coalesce(o._folded, normalize(toLower(o._text))) CONTAINS form) AND coalesce(o._valid_to > datetime(), true)
})
WITH n, COLLECT {
  MATCH (n)<-[:_OBSERVES]-(o:_Observation)
  WHERE coalesce(o._valid_to > datetime(), true)
  RETURN o._text
  ORDER BY o._created, coalesce(o._place, 0), o._id
} AS observations
ORDER BY n._created, coalesce(n._place, 0), n._id
WITH collect([n._id, n.name, n._entity, observations]) AS entities, collect(n) AS nodes,
  collect(CASE WHEN n.aliases IS :: STRING NOT NULL THEN n.aliases ELSE '' END) AS aliases
CALL (nodes) {
  UNWIND nodes AS n
  MATCH (n)-[r]-(:_Node)
  WHERE r._id IS NOT NULL AND coalesce(r._valid_to > datetime(), true)
  WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b
  WHERE a._entity IS NOT NULL AND b._entity IS NOT NULL
  ORDER BY r._created, coalesce(r._place, 0), r._id
  RETURN collect([a.name, b.name, coalesce(r._relation, type(r))]) AS relations
}
RETURN entities, relations, aliases, COUNT {
         MATCH (w:_Node)
         WHERE w._domain = $domain AND w._is_long = false
         RETURN w
         LIMIT $many
       } + COUNT {
         MATCH (w:_Observation)
         WHERE w._domain = $domain AND w._is_long = false
         RETURN w
         LIMIT $many
       } AS waiting
