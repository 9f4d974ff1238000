// Notes how far an index has come, and how many of its passages are current now.
// mode: write
// params: domain, seq, added
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._seq = $seq, i._open = i._open + $added
