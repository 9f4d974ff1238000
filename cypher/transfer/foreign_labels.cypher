// Which of some labels a database that need not be ours has.
// mode: read
// params: labels
// returns: label
CALL db.labels() YIELD label
WHERE label IN $labels
RETURN label
