// Domains under a domain are found by its name.
CREATE INDEX _domain_parent IF NOT EXISTS FOR (d:_Domain) ON (d._parent);
