// An index that finds the children of a domain by the name of their parent.
CREATE INDEX _domain_parent IF NOT EXISTS FOR (d:_Domain) ON (d._parent);
