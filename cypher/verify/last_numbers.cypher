// The next few subjects of a domain's log, in order: the numbers of the last events of the nodes, connections and observations
// that live; those with keys or a content, whose derived rows are looked at next; and `others`, which are examined one by
// one: types, the domain itself, content that is no text.
// mode: read
// params: domain, after, limit, keyed
// returns: last, subjects, living, others, unproved
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $domain AND e._subject > $after AND e._seq > 0
WITH e._domain AS domain, e._subject AS id, max(e._seq) AS seq
ORDER BY domain, id
LIMIT $limit
MATCH (e:_Event {_domain: $domain, _seq: seq})
WITH e, id, seq, $keyed[e._kind + '/' + e._type] AS keyed, e._content_sha256 AS sha256,
     coalesce(e._kind, '') IN ['node', 'connection', 'observation'] AS is_data, coalesce(e._op <> 'delete', true) AS lives
ORDER BY id
RETURN max(id) AS last, count(id) AS subjects,
       collect(CASE WHEN is_data AND lives THEN seq END) AS living,
       collect(CASE
         WHEN NOT is_data OR e._content_encoding <> 'utf-8' THEN [id, CASE e._kind WHEN 'connection' THEN e._type END]
       END) AS others,
       collect(CASE
         WHEN is_data AND lives AND (sha256 IS NOT NULL OR keyed IS NOT NULL)
           THEN [id, e._kind, e._type, sha256, CASE WHEN e._content_size IS :: INTEGER THEN e._content_size END,
                 [name IN coalesce(keyed, []) | e[name]]]
       END) AS unproved
