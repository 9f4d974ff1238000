// Removes the text content of connections, by their element ids. Their projection writes it again from the log.
// mode: write
// params: domain, elements
// returns: -
UNWIND $elements AS element
MATCH (:_Node)-[r]-()
WHERE elementId(r) = element AND r._domain = $domain AND r._id IS NOT NULL
REMOVE r._content
