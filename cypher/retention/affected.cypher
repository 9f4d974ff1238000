// What an erasure takes the content of: the events of a subject and of what was tied to it, not erased yet; how many, of
// how many subjects, and the hashes of their contents.
// mode: read
// params: domain, subject
// returns: events, subjects, hashes
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._erased IS NULL
  AND (e._subject = $subject OR e._from = $subject OR e._to = $subject)
RETURN count(e) AS events, count(DISTINCT e._subject) AS subjects, collect(DISTINCT e._content_sha256) AS hashes
