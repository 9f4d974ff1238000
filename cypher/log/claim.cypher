// Takes the domain's write lock, and continues only if its log has the position that the writer expects.
// mode: write
// params: domain, batch, known_seq, epoch
// returns: claimed
MATCH (d:_Domain {_id: $domain})
SET d._writer = $batch
WITH d
WHERE d._seq = $known_seq AND d._state = 'ready' AND toString(d._created) + '/' + d._mended = $epoch
RETURN true AS claimed
