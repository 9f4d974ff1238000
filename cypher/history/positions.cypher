// The number of the last event of each of the domains. Domains that do not exist are omitted.
// mode: read
// params: domains
// returns: domain, last
MATCH (d:_Domain)
WHERE d._id IN $domains
RETURN d._id AS domain, d._seq AS last
