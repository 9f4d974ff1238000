// Passages with the number of passages of their owners, up to `most`, whether the `source` of their node is `tool`, and the
// cosine between their vector and a given vector. Reading all properties of a passage at once and converting the vector only
// once is faster.
// mode: read
// params: ids, vector, model, at, most, tool
// returns: id, head, text, date, owner, owner_kind, unit, type, place, created, valid_from, valid_to, of_owner, is_tool_output, cosine
CYPHER 25
WITH CASE WHEN $vector IS NOT NULL THEN vector($vector, size($vector), FLOAT32) END AS query_vector
UNWIND $ids AS id
MATCH (p:_Passage)
WHERE elementId(p) = id
WITH query_vector, id, properties(p) AS p
WITH query_vector, p._domain AS domain, p._owner AS owner, p._unit AS unit, collect([id, p]) AS passages
CALL (domain, owner) {
  MATCH (o:_Passage)
  USING INDEX o:_Passage(_domain, _owner, _until)
  WHERE o._domain = domain AND o._owner = owner AND o._until > $at AND o._since <= $at
  WITH o
  LIMIT $most
  RETURN count(*) AS of_owner
}
OPTIONAL MATCH (n:_Node {_domain: domain, _id: unit})
WITH query_vector, owner, unit, passages, of_owner, coalesce(n.source = $tool, false) AS is_tool_output
UNWIND passages AS passage
WITH query_vector, owner, unit, of_owner, is_tool_output, passage[0] AS id, passage[1] AS p
RETURN id, p._head AS head, p._text AS text, p._date AS date, owner, p._owner_kind AS owner_kind, unit, p._type AS type,
       p._place AS place, p._created AS created, p._valid_from AS valid_from, p._valid_to AS valid_to, of_owner, is_tool_output,
       CASE WHEN query_vector IS NOT NULL AND p._model = $model THEN 2 * vector.similarity.cosine(p._embedding, query_vector) - 1 END AS cosine
