// The names that occur in a text, with their owners and the number of passages that contain them. Names with more than `most`
// owners are omitted, and so are the shortest of more than `limit` names. Text and names are words with a space before and
// after each, which contain no syntax of full-text queries.
// mode: read
// params: domain, at, keys, text, most, limit, index, filter
// returns: name, owners, having
UNWIND $keys AS key
MATCH (n:_Name)
USING INDEX n:_Name(_domain, _key, _until)
WHERE n._domain = $domain AND n._key = key AND n._until > $at AND n._since <= $at AND $text CONTAINS n._words
WITH n._words AS words, min(n._name) AS name, collect(DISTINCT n._owner) AS owners
WHERE size(owners) <= $most
WITH words, name, owners
ORDER BY size(words) DESC, words
LIMIT $limit
WITH words, name, owners, '"' + trim(words) + '"' AS phrase
CALL (phrase) {
  CALL db.index.fulltext.queryNodes($index, '+(_text:' + phrase + ' _head:' + phrase + ' _words:' + phrase + ') ' + $filter) YIELD node
  RETURN count(node) AS having
}
RETURN name, owners, having
ORDER BY name
