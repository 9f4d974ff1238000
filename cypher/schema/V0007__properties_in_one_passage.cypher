// The short properties of a node or connection are now in one passage, so every index is rebuilt from its log.
MATCH (i:_Index)
OPTIONAL MATCH (d:_Domain {_id: i._domain})
SET i._epoch = i._epoch + 1, i._is_emptied = true, i._seq = coalesce(d._forked_at, 0), i._open = 0, i._model = null;
