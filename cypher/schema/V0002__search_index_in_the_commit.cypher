// The index of search windows is updated inside the commit, because an eventually consistent index loses updates in
// a crash.
DROP INDEX _window_grams IF EXISTS;
CREATE FULLTEXT INDEX _window_grams IF NOT EXISTS FOR (w:_Window) ON EACH [w._grams]
  OPTIONS { indexConfig: { `fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false } };
