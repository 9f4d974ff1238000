// Passages and names for search, which a follower of the log creates, and the log position that it has reached.
CREATE CONSTRAINT _index_domain IF NOT EXISTS FOR (i:_Index) REQUIRE i._domain IS UNIQUE;
CREATE INDEX _passage_owner IF NOT EXISTS FOR (p:_Passage) ON (p._domain, p._owner, p._until);
CREATE INDEX _passage_sequence IF NOT EXISTS FOR (p:_Passage) ON (p._domain, p._sequence, p._position, p._order);
CREATE INDEX _passage_hash IF NOT EXISTS FOR (p:_Passage) ON (p._domain, p._sha256);
CREATE INDEX _new_passage IF NOT EXISTS FOR (p:_NewPassage) ON (p._domain, p._since);
CREATE INDEX _name_key IF NOT EXISTS FOR (n:_Name) ON (n._domain, n._key, n._until);
CREATE INDEX _name_owner IF NOT EXISTS FOR (n:_Name) ON (n._domain, n._owner, n._until);
CREATE FULLTEXT INDEX _passages_english IF NOT EXISTS FOR (p:_English) ON EACH [p._text, p._head, p._filter]
  OPTIONS { indexConfig: { `fulltext.analyzer`: 'english' } };
CYPHER 25 CREATE VECTOR INDEX _passage_vectors IF NOT EXISTS FOR (p:_Passage) ON (p._embedding)
  WITH [p._domain, p._model, p._type, p._since, p._until, p._created, p._valid_from, p._valid_to]
  OPTIONS { indexConfig: { `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'SCALAR' } };
