// The nodes of any Neo4j database, with their ids. Labels that begin with an underscore are for services like this one:
// nodes with such a label are omitted unless it is among the given labels.
// mode: read
// params: labels, id_property
// returns: element, key, labels, properties
MATCH (n)
WHERE none(label IN labels(n) WHERE label STARTS WITH '_' AND NOT label IN $labels)
  AND (size($labels) = 0 OR any(label IN labels(n) WHERE label IN $labels))
RETURN elementId(n) AS element, coalesce(toStringOrNull(n[$id_property]), toStringOrNull(n._id), elementId(n)) AS key,
  labels(n) AS labels, properties(n) AS properties
