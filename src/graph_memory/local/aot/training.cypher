CREATE CONSTRAINT node_id IF NOT EXISTS FOR (n:_Node) REQUIRE (n._domain, n._id) IS UNIQUE;
CREATE INDEX node_type IF NOT EXISTS FOR (n:_Node) ON (n._domain, n._type, n._id);
CREATE FULLTEXT INDEX grams IF NOT EXISTS FOR (w:_Window) ON EACH [w._grams]
  OPTIONS { indexConfig: { `fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false } };
SHOW CONSTRAINTS YIELD name RETURN name;
CALL dbms.components() YIELD name, versions RETURN name, versions;
UNWIND [{id: 'a', type: 'Project'}, {id: 'b', type: 'Action'}] AS row
MERGE (n:_Node {_domain: 'd', _id: row.id})
ON CREATE SET n:$(row.type)
SET n = {_domain: 'd', _id: row.id, _type: row.type, _title: 'title', at: datetime(), many: [1, 2]}
RETURN count(*) AS found;
UNWIND [{from: 'a', to: 'b', type: 'NextAction', id: 'c'}] AS row
MATCH (a:_Node {_domain: 'd', _id: row.from})
MATCH (b:_Node {_domain: 'd', _id: row.to})
MERGE (a)-[r:$(row.type) {_domain: 'd', _id: row.id}]->(b)
SET r = {_domain: 'd', _id: row.id}
RETURN count(*) AS found;
CALL () {
  UNWIND ['one', 'two'] AS text
  CREATE (w:_Window {_domain: 'd', _grams: text})
};
MATCH (n:_Node {_domain: 'd', _id: 'a'})
OPTIONAL MATCH (n)-[r]->(m:_Node)
WITH n, collect({type: type(r), id: m._id}) AS connections
RETURN n, labels(n) AS labels, connections ORDER BY n._id LIMIT 5;
MATCH (n:_Node)
WHERE n._domain = 'd' AND n._type = 'Project' AND n._id > '' AND toLower(n._title) CONTAINS 'tit'
RETURN n._id AS id, properties(n) AS state ORDER BY n._id SKIP 0 LIMIT 10;
CALL db.index.fulltext.queryNodes('grams', 'one') YIELD node, score RETURN node._domain AS domain, score LIMIT 5;
MATCH (n:_Node {_domain: 'd'}) DETACH DELETE n RETURN count(*) AS found
