// The numbers of entities, current observations and relations in a domain.
// mode: read
// params: domain
// returns: entities, observations, relations
RETURN COUNT { MATCH (n:_Node) WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._mentioned IS NULL RETURN n } AS entities,
       COUNT { MATCH (o:_Observation) WHERE o._domain = $domain AND o._id IS NOT NULL AND coalesce(o._valid_to > datetime(), true) RETURN o } AS observations,
       COUNT {
         MATCH (a:_Node)-[r]->(b:_Node)
         WHERE a._domain = $domain AND a._entity_name IS NOT NULL AND r._id IS NOT NULL AND b._entity IS NOT NULL
         RETURN r
       } AS relations
