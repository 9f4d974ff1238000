// Stores the last owner whose rows in an index are re-tokenized and, after the last owner, the version of the rules.
// mode: write
// params: domain, owner, word_rules_version
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._reread_to = $owner, i._reading = coalesce($word_rules_version, i._reading)
