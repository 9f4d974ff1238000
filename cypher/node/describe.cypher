// Nodes without their content, as their last events have them. An id without a live node gives no row, nor does one
// that was read on either side of a change.
// mode: read
// params: domain, ids
// returns: id, type, title, modified, version, event
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
MATCH (e:_Event {_domain: $domain, _seq: n._version})
WHERE e._subject = id
RETURN id, e._type AS type, e._title AS title, e._modified AS modified, e._seq AS version,
       properties(e) AS event
