// Texts of a domain, from an owner on, whose vector is from another model and that have no vector of this model yet, each once.
// mode: read
// params: domain, model, from, limit
// returns: sha256, head, text, owner
MATCH (p:_Passage)
WHERE p._domain = $domain AND p._owner >= $from AND p._until > 0
  AND p._model <> $model AND coalesce(p._next_model, '') <> $model AND NOT p:_NewPassage
WITH p
ORDER BY p._domain, p._owner
LIMIT $limit
RETURN p._sha256 AS sha256, head(collect(p._head)) AS head, head(collect(p._text)) AS text, min(p._owner) AS owner
ORDER BY owner
