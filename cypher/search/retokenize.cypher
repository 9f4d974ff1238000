// Stores the words of passages and names by the current rules. Raises the epoch, so that pages that were read before cannot be
// written.
// mode: write
// params: domain, passages, names
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._epoch = i._epoch + 1
WITH i
CALL () {
  UNWIND $passages AS row
  MATCH (p:_Passage)
  WHERE elementId(p) = row.id AND p._domain = $domain AND p._text = row.text AND p._head = row.head
  SET p._words = row.words
}
CALL () {
  UNWIND $names AS row
  MATCH (n:_Name)
  WHERE elementId(n) = row.id AND n._domain = $domain AND n._name = row.name
  SET n._words = row.words, n._key = row.key
}
