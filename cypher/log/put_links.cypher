// Writes links as of their last events, each linked to its source, and to its target in another domain if that
// exists.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_links AS row
MATCH (n:_Node {_domain: $domain, _id: row.from})
MERGE (l:_Link {_domain: $domain, _id: row.id})
SET l = row.state
MERGE (n)-[:_LINKS]->(l)
WITH l, row
OPTIONAL MATCH (t:_Node {_domain: row.state._target_domain, _id: row.state._target})
FOREACH (target IN CASE WHEN t IS NULL THEN [] ELSE [t] END | MERGE (l)-[:_LEADS_TO]->(target))
RETURN count(*) AS found
