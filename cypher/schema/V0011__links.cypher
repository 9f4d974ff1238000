// Links are found by their ids, and from the nodes to which they lead in other domains.
CREATE CONSTRAINT _link_id IF NOT EXISTS FOR (l:_Link) REQUIRE (l._domain, l._id) IS UNIQUE;
CREATE INDEX _link_target IF NOT EXISTS FOR (l:_Link) ON (l._target_domain, l._target);
