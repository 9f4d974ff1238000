// The given subjects that have events between two numbers of the log.
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
