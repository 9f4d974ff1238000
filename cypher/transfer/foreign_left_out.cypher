// The number of nodes that `foreign_nodes` omits because of a label that begins with an underscore.
// mode: read
// params: labels
// returns: count
MATCH (n)
WHERE any(label IN labels(n) WHERE label STARTS WITH '_' AND NOT label IN $labels)
  AND (size($labels) = 0 OR any(label IN labels(n) WHERE label IN $labels))
RETURN count(n) AS count
