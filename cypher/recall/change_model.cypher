// Notes the model that makes a domain's vectors from now on, and has some of those that another made, made anew.
// mode: write
// params: domain, model, limit
// returns: waiting
MATCH (i:_Index {_domain: $domain})
SET i._model = $model
WITH i
MATCH (p:_Passage)
WHERE p._domain = $domain AND p._owner IS NOT NULL AND p._until IS NOT NULL
  AND p._model <> $model AND NOT p:_NewPassage
WITH p
LIMIT $limit
SET p:_NewPassage
RETURN count(*) AS waiting
