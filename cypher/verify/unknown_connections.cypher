// Looks through the connections in the live graph that claim to be of the domain, of the next few of its nodes: the ids and
// types of those that the log does not know, or whose last event is of another type.
// mode: read
// params: domain, after, limit
// returns: last, unknown
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id > $after
WITH a ORDER BY a._domain, a._id LIMIT $limit
CALL (a) {
  MATCH (a)-[r]->()
  WHERE r._domain = $domain AND r._id IS NOT NULL AND [['connection', type(r)]] <> COLLECT {
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _subject, _seq)
    WHERE e._domain = $domain AND e._subject = r._id AND e._seq > 0
    RETURN [e._kind, coalesce(e._type, '')]
    ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
    LIMIT 1
  }
  RETURN collect([r._id, type(r)]) AS those
}
WITH a._id AS id, those
ORDER BY id
WITH collect(id) AS ids, collect(CASE WHEN those <> [] THEN those END) AS unknown
RETURN last(ids) AS last, reduce(found = [], those IN unknown | found + those) AS unknown
