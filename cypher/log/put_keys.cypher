// Writes the keys of owners. Unchanged keys are not touched, so that readers do not miss them.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_keys AS row
OPTIONAL MATCH (k:_Key {_domain: $domain, _owner: row.owner})
WITH row, collect(k) AS present
WITH row, present, [new IN row.rows | head([k IN present
  WHERE k._kind = new._kind AND k._type = new._type AND k._property = new._property AND k._value = new._value])] AS kept
FOREACH (k IN [k IN present WHERE NOT k IN [one IN kept WHERE one IS NOT NULL]] | DELETE k)
FOREACH (place IN [place IN range(0, size(row.rows) - 1) WHERE kept[place] IS NULL] |
  CREATE (k:_Key) SET k = row.rows[place])
RETURN count(*) AS found
