// Takes the lock of a domain's index, and tells whether all is as it was read: nobody else has indexed a page or a part of one,
// nobody has taken something out or emptied it, and nothing long goes on in the domain.
// mode: write
// params: domain, seq, part, epoch, state, is_emptied
// returns: is_so
MATCH (i:_Index {_domain: $domain})
SET i._locked = true
WITH i
MATCH (d:_Domain {_id: $domain})
RETURN i._seq = $seq AND coalesce(i._part, 0) = $part AND i._epoch = $epoch AND d._state = $state
       AND coalesce(i._is_emptied, false) = $is_emptied AS is_so
