// Returns live nodes without an id, by their element ids.
// mode: read
// params: domain, elements
// returns: element, labels, stored
UNWIND $elements AS element
MATCH (n)
WHERE elementId(n) = element AND n:_Node AND n._domain = $domain AND n._id IS NULL
RETURN element, labels(n) AS labels, properties(n) AS stored
