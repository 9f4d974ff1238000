// A page of the subjects in a log up to a position, in id order: the last event of each, whether it is still the
// subject's last event, and the hash of its content if that is a blob.
// mode: read
// params: source, at, after, limit
// returns: subject, origin, op, kind, type, is_present, blob
MATCH (d:_Domain {_id: $source})
WITH d._seq > $at AS went_on
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $source AND e._subject > $after AND e._seq > 0 AND e._seq <= $at
WITH went_on, e._domain AS source, e._subject AS subject, max(e._seq) AS origin
ORDER BY source, subject
LIMIT $limit
MATCH (l:_Event {_domain: $source, _seq: origin})
RETURN subject, origin, l._op AS op, l._kind AS kind, l._type AS type,
       NOT went_on OR NOT EXISTS {
         MATCH (n:_Event)
         USING INDEX n:_Event(_domain, _subject, _seq)
         WHERE n._domain = $source AND n._subject = subject AND n._seq > $at
       } AS is_present,
       CASE
         WHEN l._content_sha256 IS NOT NULL THEN
           CASE
             WHEN NOT EXISTS { MATCH (:_Content {_domain: $source, _sha256: l._content_sha256}) } THEN l._content_sha256
           END
       END AS blob
