// Adds key rows of indexed and unique properties.
// mode: write
// params: rows
// returns: found
UNWIND $rows.put_keys AS row
CREATE (k:_Key)
SET k = row
RETURN count(*) AS found
