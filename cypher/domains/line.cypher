// Up to eight logs that together contain a domain's history, the domain's own log first, each with its source as in
// `fork`. If there are more logs, the next one is the source of the last. No row if the domain does not exist.
// mode: read
// params: domain
// returns: name, forked_from, forked_at, begins_at, compacted_to, turns
MATCH (a:_Domain {_id: $domain})
OPTIONAL MATCH (b:_Domain {_id: a._forked_from})
OPTIONAL MATCH (c:_Domain {_id: b._forked_from})
OPTIONAL MATCH (d:_Domain {_id: c._forked_from})
OPTIONAL MATCH (e:_Domain {_id: d._forked_from})
OPTIONAL MATCH (f:_Domain {_id: e._forked_from})
OPTIONAL MATCH (g:_Domain {_id: f._forked_from})
OPTIONAL MATCH (h:_Domain {_id: g._forked_from})
UNWIND [a, b, c, d, e, f, g, h] AS part
WITH part
WHERE part IS NOT NULL
RETURN part._id AS name, part._forked_from AS forked_from, part._forked_at AS forked_at,
       part._begins_at AS begins_at, part._compacted_to AS compacted_to,
       coalesce(part._turns, []) AS turns
