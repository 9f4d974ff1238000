// Gives a domain its own attributes.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_domain AS row
MATCH (d:_Domain {_id: $domain})
SET d += row.state
RETURN count(*) AS found
