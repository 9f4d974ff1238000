// Writes the attributes of a domain. A branch that was imported without its source remains without a source. If the
// parent changes, the domain gets a new epoch, so that cached ontologies are no longer used.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_domain AS row
MATCH (d:_Domain {_id: $domain})
SET d._mended = d._mended + CASE coalesce(d._parent, '') WHEN coalesce(row.state._parent, '') THEN 0 ELSE 1 END
SET d._created = row.state._created,
    d._forked_from = CASE WHEN d._forked_at IS NULL OR d._forked_from IS NOT NULL THEN row.state._forked_from END,
    d._forked_at = row.state._forked_at, d._begins_at = row.state._begins_at, d._compacted_to = row.state._compacted_to, d._merges = row.state._merges,
    d._protection = row.state._protection, d._description = row.state._description, d._metadata = row.state._metadata,
    d._parent = row.state._parent
RETURN count(*) AS found
