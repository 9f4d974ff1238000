// Sets the ids of adopted relationships to those of their events.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH ()-[r]->()
WHERE elementId(r) = row.element
SET r._domain = $domain, r._id = row.id
