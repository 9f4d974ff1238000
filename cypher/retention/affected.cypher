// Counts the events of a subject and its attachments that are not erased yet, and their subjects, and returns the hashes of
// their contents.
// mode: read
// params: domain, subject
// returns: events, subjects, hashes
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._erased IS NULL
  AND (e._subject = $subject OR e._from = $subject OR e._to = $subject)
RETURN count(e) AS events, count(DISTINCT e._subject) AS subjects, collect(DISTINCT e._content_sha256) AS hashes
