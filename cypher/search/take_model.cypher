// Switches a domain's vectors to another model. A copy that was begun earlier becomes invalid.
// mode: write
// params: domain, model
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._model = $model, i._epoch = i._epoch + 1
