// Takes the domain's write lock, and returns the position of its log. `written` is the position of this write's first
// event if an earlier run of the same write was committed, `request` its hash, if any, and `rejected_parts` its omitted
// operations. `protection` and `has_protected` are the protection of the domain, and `parent` is the domain's parent.
// mode: write
// params: domain, batch
// returns: seq, ontology_version, epoch, last_at, state, job, written, request, rejected_parts, protection, has_protected, parent
MATCH (d:_Domain {_id: $domain})
SET d._writer = $batch
WITH d
OPTIONAL MATCH (e:_Event {_domain: $domain, _id: $batch})
RETURN d._seq AS seq, d._ontology_version AS ontology_version,
       toString(d._created) + '/' + d._mended AS epoch, d._last_at AS last_at, d._state AS state, d._job AS job,
       e._seq AS written, e._request AS request, e._refused AS rejected_parts,
       d._protection AS protection, coalesce(d._has_protected, false) AS has_protected,
       d._parent AS parent
