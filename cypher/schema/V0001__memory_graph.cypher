// The memory graph: identity of every subject, the log, and the derived rows.
CREATE CONSTRAINT _domain_id IF NOT EXISTS FOR (d:_Domain) REQUIRE d._id IS UNIQUE;
CREATE CONSTRAINT _node_id IF NOT EXISTS FOR (n:_Node) REQUIRE (n._domain, n._id) IS UNIQUE;
CREATE CONSTRAINT _observation_id IF NOT EXISTS FOR (o:_Observation) REQUIRE (o._domain, o._id) IS UNIQUE;
CREATE CONSTRAINT _ontology_domain IF NOT EXISTS FOR (o:_Ontology) REQUIRE o._domain IS UNIQUE;
CREATE CONSTRAINT _node_type_name IF NOT EXISTS FOR (t:_NodeType) REQUIRE (t._domain, t._name) IS UNIQUE;
CREATE CONSTRAINT _connection_type_name IF NOT EXISTS FOR (t:_ConnectionType) REQUIRE (t._domain, t._name) IS UNIQUE;
CREATE CONSTRAINT _event_seq IF NOT EXISTS FOR (e:_Event) REQUIRE (e._domain, e._seq) IS UNIQUE;
CREATE CONSTRAINT _event_id IF NOT EXISTS FOR (e:_Event) REQUIRE (e._domain, e._id) IS UNIQUE;
CREATE CONSTRAINT _content_hash IF NOT EXISTS FOR (c:_Content) REQUIRE (c._domain, c._sha256) IS UNIQUE;
CREATE INDEX _node_type IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._type, n._id);
CREATE INDEX _event_subject IF NOT EXISTS FOR (e:_Event) ON (e._domain, e._subject, e._seq);
CREATE INDEX _key_value IF NOT EXISTS FOR (k:_Key) ON (k._domain, k._kind, k._type, k._property, k._value);
CREATE INDEX _key_owner IF NOT EXISTS FOR (k:_Key) ON (k._domain, k._owner);
CREATE INDEX _window_owner IF NOT EXISTS FOR (w:_Window) ON (w._domain, w._owner);
CREATE FULLTEXT INDEX _window_grams IF NOT EXISTS FOR (w:_Window) ON EACH [w._grams]
  OPTIONS { indexConfig: { `fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: true } };
