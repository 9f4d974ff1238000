// The entities among these nodes, with the numbers of their current observations and relations, and the time at which
// the entity changed or was last observed.
// mode: read
// params: domain, ids
// returns: id, name, type, aliases, different_from, described, observations, relations, changed
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
WHERE n._entity IS NOT NULL AND n._mentioned IS NULL
CALL (n) {
  OPTIONAL MATCH (n)<-[:_OBSERVES]-(o:_Observation)
  WHERE coalesce(o._valid_to > datetime(), true)
  RETURN count(o) AS observations, max(o._created) AS observed
}
RETURN n._id AS id, n.name AS name, n._entity AS type, CASE WHEN n.aliases IS :: STRING THEN n.aliases END AS aliases,
       CASE WHEN n.different_from_ids IS :: STRING THEN n.different_from_ids END AS different_from,
       n._content_size > 0 AS described, observations,
       COUNT { MATCH (n)-[r]-(:_Node) WHERE r._id IS NOT NULL AND coalesce(r._valid_to > datetime(), true) RETURN DISTINCT r } AS relations,
       CASE WHEN observed > n._modified THEN observed ELSE n._modified END AS changed
