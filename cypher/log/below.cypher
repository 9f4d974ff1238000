// The given domains that exist, each with the names of its children, in order.
// mode: read
// params: domains
// returns: name, children
UNWIND $domains AS name
MATCH (d:_Domain {_id: name})
RETURN d._id AS name,
       COLLECT { MATCH (c:_Domain) WHERE c._parent = d._id RETURN c._id ORDER BY c._id } AS children
