// How often a node was given to somebody, and when last: the one thing that is not in the log and not derived from it.
CREATE CONSTRAINT _access_id IF NOT EXISTS FOR (a:_Access) REQUIRE (a._domain, a._id) IS UNIQUE;
CREATE INDEX _access_count IF NOT EXISTS FOR (a:_Access) ON (a._domain, a._count);
