// Returns the nodes of the whole database that contain one of these texts in a property or its name. Vectors are
// left out: reading them would take four times as long. `encoded`: the texts in base64, searched for only in metadata.
// `is_tombstone`: the node contains only the id of an erased subject. `subject` and `title`: the logged node of the row;
// for an observation, the observed node. `sha256`: the hash of a text node.
// mode: read
// params: texts, encoded, limit
// returns: labels, domain, id, property, is_tombstone, subject, title, sha256
MATCH (n)
UNWIND [name IN keys(n) WHERE NOT name IN ['_embedding', '_next_embedding']] AS property
WITH n, property, n[property] AS value
WHERE any(text IN $texts WHERE property CONTAINS text OR CASE
  WHEN value IS :: LIST<ANY> THEN any(item IN value WHERE coalesce(toStringOrNull(item) CONTAINS text, false))
  ELSE coalesce(toStringOrNull(value) CONTAINS text, false)
END) OR (property = '_metadata' AND any(text IN $encoded WHERE coalesce(toStringOrNull(value) CONTAINS text, false)))
WITH n, property, n:_Event AND property = '_subject' AND n._erased IS NOT NULL AS is_tombstone
ORDER BY is_tombstone
LIMIT $limit
WITH n, property, is_tombstone, coalesce(n._subject, n._owner, n._id) AS own
WITH n, property, is_tombstone, coalesce(head(COLLECT {
  MATCH (o:_Event)
  WHERE o._domain = n._domain AND o._subject = own AND o._kind = 'observation' AND o._from IS NOT NULL
  RETURN o._from
  LIMIT 1
}), own) AS subject
RETURN labels(n) AS labels, toString(n._domain) AS domain, toStringOrNull(coalesce(n._id, n._owner)) AS id, property, is_tombstone,
       toStringOrNull(subject) AS subject, toStringOrNull(head(COLLECT {
  MATCH (e:_Event)
  WHERE e._domain = n._domain AND e._subject = subject AND e._title IS NOT NULL
  RETURN e._title
  ORDER BY e._seq DESC
  LIMIT 1
})) AS title, CASE WHEN n:_Content THEN toStringOrNull(n._sha256) END AS sha256
