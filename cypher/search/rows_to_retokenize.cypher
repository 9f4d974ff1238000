// The passages and names of the next owners that the current rules may tokenize differently, both current and ended.
// A row without an id ends each owner, so that owners without such rows are returned too.
// mode: read
// params: domain, after, limit
// returns: owner, id, head, text, name
CALL () {
  CALL () {
    MATCH (p:_Passage)
    WHERE p._domain = $domain AND p._owner > $after AND p._until > 0
    WITH DISTINCT p._domain AS domain, p._owner AS owner
    ORDER BY domain, owner
    LIMIT $limit
    RETURN owner
    UNION
    MATCH (n:_Name)
    WHERE n._domain = $domain AND n._owner > $after AND n._until > 0
    WITH DISTINCT n._domain AS domain, n._owner AS owner
    ORDER BY domain, owner
    LIMIT $limit
    RETURN owner
  }
  WITH DISTINCT owner
  ORDER BY owner
  LIMIT $limit
  RETURN owner
}
CALL (owner) {
  MATCH (p:_Passage)
  USING INDEX p:_Passage(_domain, _owner, _until)
  WHERE p._domain = $domain AND p._owner = owner AND p._until > 0 AND NOT p._head + p._text =~ '(?s)[\\x00-\\x26\\x28-\\x7f]*+'
  RETURN elementId(p) AS id, p._head AS head, p._text AS text, null AS name
  UNION ALL
  MATCH (n:_Name)
  USING INDEX n:_Name(_domain, _owner, _until)
  WHERE n._domain = $domain AND n._owner = owner AND n._until > 0 AND NOT n._name =~ '(?s)[\\x00-\\x7f]*+'
  RETURN elementId(n) AS id, null AS head, null AS text, n._name AS name
  UNION ALL
  RETURN null AS id, null AS head, null AS text, null AS name
}
RETURN owner, id, head, text, name
ORDER BY owner
