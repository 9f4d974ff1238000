// Adds key rows of indexed and unique properties.
// mode: write
// params: rows
// returns: found
UNWIND $rows AS row
CREATE (k:_Key)
SET k = row
RETURN count(*) AS found
