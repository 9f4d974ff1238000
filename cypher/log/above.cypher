// A domain and up to eight levels of its ancestors, the nearest first, with the versions of their ontologies. If there
// are more, the next one is the parent of the last row. No row means that the domain does not exist.
// mode: read
// params: domain
// returns: name, parent, ontology_version, epoch
MATCH (a:_Domain {_id: $domain})
OPTIONAL MATCH (b:_Domain {_id: a._parent})
OPTIONAL MATCH (c:_Domain {_id: b._parent})
OPTIONAL MATCH (d:_Domain {_id: c._parent})
OPTIONAL MATCH (e:_Domain {_id: d._parent})
OPTIONAL MATCH (f:_Domain {_id: e._parent})
OPTIONAL MATCH (g:_Domain {_id: f._parent})
OPTIONAL MATCH (h:_Domain {_id: g._parent})
UNWIND [a, b, c, d, e, f, g, h] AS one
WITH one
WHERE one IS NOT NULL
RETURN one._id AS name, one._parent AS parent, one._ontology_version AS ontology_version,
       toString(one._created) + '/' + one._mended AS epoch
