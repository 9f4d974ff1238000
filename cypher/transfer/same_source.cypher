// Whether a domain is the source of a branch: the domain's log has the events from which the branch's first snapshots
// were made.
// mode: read
// params: source, domain, forked_at, begins_at, limit
// returns: is_same
MATCH (d:_Domain {_id: $source})
WHERE d._seq >= $forked_at AND d._state = 'ready'
CALL () {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > $forked_at AND e._seq < $begins_at AND e._snapshot_of IS NOT NULL
  WITH e
  ORDER BY e._domain, e._seq
  LIMIT $limit
  WITH e, EXISTS {
    MATCH (s:_Event {_domain: $source, _seq: e._snapshot_of})
    WHERE s._subject = e._subject AND coalesce(s._modified = e._modified, true)
  } AS is_there
  RETURN count(*) > 0 AND all(one IN collect(is_there) WHERE one) AS is_same
}
RETURN is_same
