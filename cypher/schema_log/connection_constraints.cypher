// The names of the constraints that older versions created for connection types.
// mode: read
// params: -
// returns: name
SHOW CONSTRAINTS YIELD name
WHERE name =~ '_connection_[0-9a-f]{32}'
RETURN name
ORDER BY name
