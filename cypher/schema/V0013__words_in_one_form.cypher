// The full-text indexes of passages get another field, for words that the analysers would not bring into the same
// form. Indexes of analysers other than English are created again for the domains that use them. Until a follower of
// the log has filled the field, searches return the same results as before.
DROP INDEX _passages_english IF EXISTS;
DROP INDEX _passages_standard_folding IF EXISTS;
DROP INDEX _passages_cjk IF EXISTS;
DROP INDEX _passages_danish IF EXISTS;
DROP INDEX _passages_dutch IF EXISTS;
DROP INDEX _passages_finnish IF EXISTS;
DROP INDEX _passages_french IF EXISTS;
DROP INDEX _passages_german IF EXISTS;
DROP INDEX _passages_italian IF EXISTS;
DROP INDEX _passages_norwegian IF EXISTS;
DROP INDEX _passages_portuguese IF EXISTS;
DROP INDEX _passages_russian IF EXISTS;
DROP INDEX _passages_spanish IF EXISTS;
DROP INDEX _passages_swedish IF EXISTS;
CREATE FULLTEXT INDEX _passages_english IF NOT EXISTS FOR (p:_English) ON EACH [p._text, p._head, p._words, p._filter]
  OPTIONS { indexConfig: { `fulltext.analyzer`: 'english' } };
CREATE INDEX _access_together IF NOT EXISTS FOR (a:_Access) ON (a._domain, a._together);
MATCH (n:_Node)
WHERE n._folded <> normalize(n._folded)
SET n._folded = normalize(n._folded);
MATCH (o:_Observation)
WHERE o._folded <> normalize(o._folded)
SET o._folded = normalize(o._folded);
