// Returns the relationships of the whole database that contain one of these texts in a property or its name, each with its
// start node.
// mode: read
// params: texts, limit
// returns: labels, domain, id, property, is_tombstone, subject, title, sha256
MATCH (start)-[r]->()
UNWIND keys(r) AS property
WITH start, r, property, r[property] AS value
WHERE any(text IN $texts WHERE property CONTAINS text OR CASE
  WHEN value IS :: LIST<ANY> THEN any(item IN value WHERE coalesce(toStringOrNull(item) CONTAINS text, false))
  ELSE coalesce(toStringOrNull(value) CONTAINS text, false)
END)
RETURN [type(r)] AS labels, toString(r._domain) AS domain, coalesce(toStringOrNull(r._id), toStringOrNull(r._inverse_of)) AS id, property,
       false AS is_tombstone, toStringOrNull(start._id) AS subject, toStringOrNull(start._title) AS title, null AS sha256
LIMIT $limit
