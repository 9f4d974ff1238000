// Observations of an entity that hold and equal one of some texts, or have most of its words. Equal texts are looked for in all
// observations of the entity: a text without white space is written the same way as one of the row's. The index of texts finds
// those with the same words, up to a number for each word. Texts that are not in the index yet are looked through first: a text
// that is indexed meanwhile is then met twice, never missed.
// mode: read
// params: domain, node, rows, spaces, scanned, most
// returns: id, text
CALL () {
  MATCH (:_Node {_domain: $domain, _id: $node})<-[:_OBSERVES]-(o:_Observation)
  WITH o, normalize(o._text) AS text
  WHERE any(row IN $rows WHERE all(part IN row.parts WHERE text CONTAINS part)) AND coalesce(o._valid_to > datetime(), true)
  WITH o, reduce(written = text, space IN $spaces | replace(written, space, '')) AS written
  WHERE any(row IN $rows WHERE written IN row.written)
  WITH written, collect(o)[..$most] AS equal
  UNWIND equal AS o
  RETURN o
  UNION
  UNWIND $rows AS row
  CALL (row) {
    CALL (row) {
      MATCH (o:_Observation)
      WHERE o._domain = $domain AND o._is_long = false AND any(word IN row.words WHERE toLower(o._text) CONTAINS word)
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
    WITH DISTINCT o, size([word IN row.words WHERE coalesce(o._folded, toLower(o._text)) CONTAINS word]) AS shared
    ORDER BY shared DESC, o._id
    LIMIT $most
    RETURN o
  }
  RETURN o
}
WITH DISTINCT o
RETURN o._id AS id, o._text AS text
ORDER BY o._created, coalesce(o._place, 0), o._id
