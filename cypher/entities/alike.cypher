// Observations of an entity that hold and are most like each of some texts: the equal ones, then those that have most of the text's
// words. The index of texts finds them, up to a number for each word. What is not in the index, because it is new, is looked
// through first: a text that is indexed meanwhile is then met twice, never missed.
// mode: read
// params: domain, node, rows, scanned, most
// returns: id, text
UNWIND $rows AS row
CALL (row) {
  CALL (row) {
    MATCH (o:_Observation)
    WHERE o._domain = $domain AND o._is_long IS NOT NULL
      AND (o._text = row.text OR (o._is_long = false AND any(word IN row.words WHERE toLower(o._text) CONTAINS word)))
    RETURN o
    UNION
    WITH row
    WHERE size(row.text) <= 8000
    MATCH (o:_Observation)
    USING TEXT INDEX o:_Observation(_folded)
    WHERE o._folded = toLower(row.text) AND o._domain = $domain
    RETURN o
    UNION
    UNWIND row.words AS word
    CALL (word) {
      MATCH (o:_Observation)
      USING TEXT INDEX o:_Observation(_folded)
      WHERE o._folded CONTAINS word AND o._domain = $domain
      RETURN o
      LIMIT $scanned
    }
    RETURN o
  }
  MATCH (o)-[:_OBSERVES]->(:_Node {_domain: $domain, _id: $node})
  WHERE coalesce(o._valid_to > datetime(), true)
  WITH DISTINCT o, o._text = row.text AS is_equal,
       size([word IN row.words WHERE coalesce(o._folded, toLower(o._text)) CONTAINS word]) AS shared
  ORDER BY is_equal DESC, shared DESC, o._id
  LIMIT $most
  RETURN o
}
WITH DISTINCT o
RETURN o._id AS id, o._text AS text
ORDER BY o._created, coalesce(o._place, 0), o._id
