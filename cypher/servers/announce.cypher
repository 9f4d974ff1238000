// Records that a server runs, with the id of its blob store, and returns the servers that were recorded within the
// given number of milliseconds, the longest-running first. Each is stored as one string, because there are few.
// mode: write
// params: server, place, milliseconds
// returns: server, place
MATCH (s:_SchemaStep {_version: 0})
SET s._servers = coalesce(s._servers, [])
WITH s, [line IN s._servers | split(line, ' ')] AS lines
WITH s, [line IN lines WHERE line[0] <> $server AND toInteger(line[3]) + $milliseconds > timestamp()] AS others,
     coalesce(head([line IN lines WHERE line[0] = $server | line[2]]), toString(timestamp())) AS since
WITH s, others + [[$server, $place, since, toString(timestamp())]] AS running
SET s._servers = [line IN running | line[0] + ' ' + line[1] + ' ' + line[2] + ' ' + line[3]]
WITH running
UNWIND running AS line
WITH line[0] AS server, line[1] AS place, toInteger(line[2]) AS since
ORDER BY since, server
RETURN server, place
