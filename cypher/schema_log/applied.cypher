// The schema steps that are applied to the database, in order.
// mode: read
// params: -
// returns: version, sha256
MATCH (s:_SchemaStep)
WHERE s._version > 0
RETURN s._version AS version, s._sha256 AS sha256
ORDER BY version
