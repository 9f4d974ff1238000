// Has a domain's vectors be those of a model from now on. A copy that was begun before is of no use any more.
// mode: write
// params: domain, model
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._model = $model, i._epoch = i._epoch + 1
