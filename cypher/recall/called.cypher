// The titles of nodes as of a log position. Nodes whose title is only their type are returned with their properties. A
// node that did not exist has no row.
// mode: read
// params: domain, ids, at
// returns: id, type, title, facts
UNWIND $ids AS id
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0 AND e._seq <= $at
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH id, e, e {._op, ._kind, ._type, ._title} AS told
WHERE told._op <> 'delete' AND told._kind = 'node'
RETURN id, told._type AS type, coalesce(told._title, '') AS title,
       [key IN CASE WHEN told._title = told._type THEN keys(e) ELSE [] END WHERE NOT (key STARTS WITH '_' OR key = 'different_from_ids') | [key, e[key]]] AS facts
