// Restores inline texts that the log refers to.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MERGE (c:_Content {_domain: $domain, _sha256: row.sha256})
SET c._text = row.text
