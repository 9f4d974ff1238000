// The labels of passages, one for each analyser, in one domain or in all domains. Each label needs a full-text index.
// mode: read
// params: domain
// returns: label
MATCH (i:_Index)
WHERE i._domain IS NOT NULL AND coalesce(i._domain = $domain, true)
UNWIND [i._analyser, i._next_analyser] AS label
WITH DISTINCT label
WHERE label IS NOT NULL
RETURN label
ORDER BY label
