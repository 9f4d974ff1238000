// Entities are found by their names, and searched in lower case by their names, types and observations.
CREATE INDEX _entity_name IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._entity_name);
CREATE TEXT INDEX _entity_text IF NOT EXISTS FOR (n:_Node) ON (n._folded);
CREATE TEXT INDEX _observation_text IF NOT EXISTS FOR (o:_Observation) ON (o._folded);
