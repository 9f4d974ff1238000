// Nodes are found by their path, their namespace, and when they were created. Those at a default path or namespace are in
// no index of it.
CREATE INDEX _node_path IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._path);
CREATE INDEX _node_namespace IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._namespace, n._id);
CREATE INDEX _node_created IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._created);
