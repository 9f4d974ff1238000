// Notes up to which owner the words of an index were read again, and by which rules all of them were.
// mode: write
// params: domain, owner, reading
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._reread_to = $owner, i._reading = coalesce($reading, i._reading)
