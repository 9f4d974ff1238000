// Entities are found by their names, and searched in lower case by their names, types and observations. A text that
// is too long for an index is only marked as long.
CREATE INDEX _entity_name IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._entity_name);
CREATE TEXT INDEX _entity_text IF NOT EXISTS FOR (n:_Node) ON (n._folded);
CREATE TEXT INDEX _observation_text IF NOT EXISTS FOR (o:_Observation) ON (o._folded);
CREATE INDEX _long_entity IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._is_long);
CREATE INDEX _long_observation IF NOT EXISTS FOR (o:_Observation) ON (o._domain, o._is_long);
