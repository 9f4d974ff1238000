// Stores the model of a domain's vectors if none is stored, and returns the stored model.
// mode: write
// params: domain, model
// returns: model
MATCH (i:_Index {_domain: $domain})
SET i._model = coalesce(i._model, $model)
RETURN i._model AS model
