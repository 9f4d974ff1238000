// Returns the events that delete connections, observations and links of deleted nodes, in the same batch and before the
// deletion of the node, from a log number on.
// mode: read
// params: domain, nodes, after, limit
// returns: seq, id, op, kind, subject, batch
UNWIND $nodes AS row
MATCH (begin:_Event {_domain: $domain, _id: row.batch})
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq >= begin._seq AND e._seq < row.seq AND e._seq > $after AND e._op = 'delete'
  AND (e._from = row.node OR e._to = row.node)
RETURN e._seq AS seq, e._id AS id, e._op AS op, e._kind AS kind, e._subject AS subject, e._batch AS batch
ORDER BY seq
LIMIT $limit
