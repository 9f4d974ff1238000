// Access counts: how often a node was returned, and when last. This is the only data that is neither in the log nor
// derived from it.
CREATE CONSTRAINT _access_id IF NOT EXISTS FOR (a:_Access) REQUIRE (a._domain, a._id) IS UNIQUE;
CREATE INDEX _access_count IF NOT EXISTS FOR (a:_Access) ON (a._domain, a._count);
