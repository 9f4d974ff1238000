// Returns live links, each with its source and whether it is correctly linked to its target. A source that is not a
// node of the domain has no id.
// mode: read
// params: domain, ids
// returns: id, about, leads, stored
UNWIND $ids AS id
MATCH (l:_Link {_domain: $domain, _id: id})
OPTIONAL MATCH (n:_Node)-[:_LINKS]->(l)
OPTIONAL MATCH (t:_Node {_domain: l._target_domain, _id: l._target})
RETURN id, CASE WHEN n._domain = $domain THEN n._id END AS about,
       COLLECT {
         MATCH (l)-[:_LEADS_TO]->(x)
         RETURN x
       } = CASE WHEN t IS NULL THEN [] ELSE [t] END AS leads, properties(l) AS stored
