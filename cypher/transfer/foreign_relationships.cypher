// The relationships between the nodes of `foreign_nodes`, with their ids and those of their ends.
// mode: read
// params: labels, types, id_property
// returns: element, key, type, source, target, properties
MATCH (a)-[r]->(b)
WHERE (size($types) = 0 OR type(r) IN $types)
  AND (NOT type(r) STARTS WITH '_' OR type(r) IN $types) AND r._inverse_of IS NULL
  AND all(n IN [a, b] WHERE none(label IN labels(n) WHERE label STARTS WITH '_' AND NOT label IN $labels)
    AND (size($labels) = 0 OR any(label IN labels(n) WHERE label IN $labels)))
RETURN elementId(r) AS element, coalesce(toStringOrNull(r._id), elementId(r)) AS key, type(r) AS type,
  coalesce(toStringOrNull(a[$id_property]), toStringOrNull(a._id), elementId(a)) AS source,
  coalesce(toStringOrNull(b[$id_property]), toStringOrNull(b._id), elementId(b)) AS target,
  properties(r) AS properties
