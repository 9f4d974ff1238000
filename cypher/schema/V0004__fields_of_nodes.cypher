// Indexes for nodes by path, namespace and time of creation. Nodes with the default path or namespace are not in its
// index.
CREATE INDEX _node_path IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._path);
CREATE INDEX _node_namespace IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._namespace, n._id);
CREATE INDEX _node_created IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._created);
