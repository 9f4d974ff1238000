// For texts that are not names in a domain, the entities with aliases in which the text occurs, as in
// `entities/called`. With `ends`, the name of a node that is only an end of relations counts as a name. Each row of
// `rows` contains the `name` and its `text` without separators.
// mode: read
// params: domain, rows, ends, separators, limit
// returns: alias, name, aliases
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS {
  MATCH (n:_Node {_domain: $domain, _entity_name: CASE WHEN size(row.name) <= 1000 THEN row.name ELSE toString(size(row.name)) END})
  WHERE n.name = row.name AND ($ends OR n._mentioned IS NULL)
}
WITH collect(row) AS rows
WHERE size(rows) > 0
MATCH (n:_Node)
WHERE n._domain = $domain AND n._called = true
WITH rows, n, replace(normalize(toLower(toUpper(toLower(normalize(n.aliases))))), 'ς', 'σ') AS aliases
WITH rows, n, reduce(text = aliases, sign IN $separators | replace(text, sign, '')) AS folded
UNWIND rows AS row
WITH row, n, folded
WHERE folded CONTAINS row.text
RETURN row.name AS alias, n.name AS name, n.aliases AS aliases
ORDER BY n._created, n._id
LIMIT $limit
