// Of some subjects those that the log names between two numbers of it.
// mode: read
// params: domain, ids, after, at
// returns: id
UNWIND $ids AS id
WITH id
WHERE EXISTS {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > $after AND e._seq <= $at
}
RETURN id
