// Copies the passages of owners as of an event number, with their vectors, to a branch, where they are current.
// mode: write
// params: source, domain, owners, at, open, source_token, domain_token, open_token, analyser
// returns: copied
UNWIND $owners AS owner
MATCH (p:_Passage)
WHERE p._domain = $source AND p._owner = owner AND p._until > $at AND p._since <= $at
WITH p, 'u' + right('0000000000000000000' + toString(p._until), 19) AS until_token
CREATE (k:_Passage:$($analyser))
SET k = p {
  .*, _domain: $domain, _until: $open,
  _filter: replace(replace(p._filter, $source_token, $domain_token), until_token, $open_token)
}
FOREACH (_ IN CASE WHEN p._embedding IS NULL OR p:_NewPassage THEN [0] ELSE [] END | SET k:_NewPassage)
RETURN count(*) AS copied
