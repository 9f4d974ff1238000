// The nodes of the whole database, whoever's they are, that hold one of these texts in a property or its name. Vectors are only numbers,
// which a model made; to look through them would take four times as long.
// `is_tombstone`: it is no more than the id of something that was erased.
// mode: read
// params: texts, limit
// returns: labels, domain, id, property, is_tombstone
MATCH (n)
UNWIND [name IN keys(n) WHERE NOT name IN ['_embedding', '_next_embedding']] AS property
WITH n, property, n[property] AS value
WHERE any(text IN $texts WHERE property CONTAINS text OR CASE
  WHEN value IS :: LIST<ANY> THEN any(item IN value WHERE coalesce(toStringOrNull(item) CONTAINS text, false))
  ELSE coalesce(toStringOrNull(value) CONTAINS text, false)
END)
RETURN labels(n) AS labels, toString(n._domain) AS domain, toStringOrNull(coalesce(n._id, n._owner)) AS id, property,
       n:_Event AND property = '_subject' AND n._erased IS NOT NULL AS is_tombstone
ORDER BY is_tombstone
LIMIT $limit
