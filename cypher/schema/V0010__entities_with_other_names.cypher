// Entities with aliases are marked, so that a look-up by an alias reads no other entities.
CREATE INDEX _entity_called IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._called);
MATCH (n:_Node)
WHERE n._entity IS NOT NULL AND n._mentioned IS NULL AND n.aliases IS :: STRING NOT NULL
SET n._called = true;
