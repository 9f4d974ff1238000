// Gives relationships that were made by hand the ids under which their events know them.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH ()-[r]->()
WHERE elementId(r) = row.element
SET r._domain = $domain, r._id = row.id
