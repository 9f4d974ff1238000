// Notes by which model a domain's passages get their vectors, if none is noted yet, and tells which it is.
// mode: write
// params: domain, model
// returns: model
MATCH (i:_Index {_domain: $domain})
SET i._model = coalesce(i._model, $model)
RETURN i._model AS model
