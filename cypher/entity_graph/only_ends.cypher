// The given nodes that exist only as ends of relations, with these relations, up to a limit.
// mode: read
// params: domain, ids, most
// returns: id, type, version, relations
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
WHERE n._mentioned AND n._protection IS NULL AND NOT EXISTS { (n)<-[:_OBSERVES]-(:_Observation) }
  AND NOT EXISTS { (n)-[:_LINKS]->(:_Link) }
RETURN id, n._type AS type, n._version AS version, COLLECT {
         MATCH (n)-[r]-(:_Node)
         WHERE r._id IS NOT NULL
         RETURN DISTINCT r._id
         LIMIT $most
       } AS relations
