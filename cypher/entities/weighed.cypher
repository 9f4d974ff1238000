// The weight of entities: their number of mentions, the times of the first and the last mention, and the confidence of
// current observations.
// mode: read
// params: domain, ids
// returns: id, mentions, first, last, confidence
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
CALL (n) {
  MATCH (n)<-[:_OBSERVES]-(o:_Observation)
  RETURN count(o) AS observed, min(o._time) AS earliest, max(o._time) AS latest,
         avg(CASE WHEN coalesce(o._valid_to > datetime(), true) THEN o._confidence END) AS confidence
}
CALL (n) {
  MATCH (n)-[r]-(:_Node)
  WHERE r._id IS NOT NULL
  RETURN count(DISTINCT r) AS related, max(r._created) AS related_at
}
RETURN id, 1 + observed + related AS mentions,
       CASE WHEN earliest < n._created THEN earliest ELSE n._created END AS first,
       reduce(last = n._modified, at IN [latest, related_at] | CASE WHEN at > last THEN at ELSE last END) AS last, confidence
