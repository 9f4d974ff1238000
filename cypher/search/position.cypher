// The positions of a domain's index and log; no row if there is no such domain. The index of a branch begins at the fork, and a
// compacted log has gaps.
// mode: read
// params: domain
// returns: last, state, compacted_to, begins_after, seq, epoch, model, analyser, open, is_emptied, part, failures, skipped, waits, word_rules_version, retokenized_to
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (i:_Index {_domain: $domain})
RETURN d._seq AS last, d._state AS state, coalesce(d._compacted_to, 0) AS compacted_to,
       coalesce(d._forked_at, 0) AS begins_after, i._seq AS seq, i._epoch AS epoch, i._model AS model,
       i._analyser AS analyser, i._open AS open, coalesce(i._is_emptied, false) AS is_emptied,
       coalesce(i._part, 0) AS part, coalesce(i._failures, 0) AS failures, coalesce(i._skipped, []) AS skipped,
       EXISTS { MATCH (p:_NewPassage) WHERE p._domain = $domain AND p._since >= 0 } AS waits,
       coalesce(i._reading, 0) AS word_rules_version, coalesce(i._reread_to, '') AS retokenized_to
