// Creates names.
// mode: write
// params: rows
// returns: created
UNWIND $rows AS row
CREATE (n:_Name)
SET n = row
RETURN count(*) AS created
