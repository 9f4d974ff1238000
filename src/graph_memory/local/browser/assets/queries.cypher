// The live graph
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL
OPTIONAL MATCH (n)-[r]->(m:_Node)
RETURN n, r, m
LIMIT 500

// One type
// Replace Project with another type.
MATCH (n:_Node {_domain: $domain, _type: "Project"})
WHERE n._id IS NOT NULL
RETURN n
LIMIT 100

// What is connected to a node
// Replace kitchen with a part of its title.
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL AND toLower(n._title) CONTAINS toLower("kitchen")
OPTIONAL MATCH path = (n)-[*1..2]-(:_Node)
RETURN n, path
LIMIT 300

// What was observed of entities
MATCH path = (o:_Observation)-[:_OBSERVES]->(n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL AND coalesce(o._valid_to > datetime(), true)
RETURN path
LIMIT 300

// Titles with a word
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL AND toLower(n._title) CONTAINS toLower("call")
RETURN n._title AS title, n._type AS type, n._modified AS changed, n._id AS id
ORDER BY changed DESC
LIMIT 100

// Nodes as a table
// With your own properties.
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL
RETURN n._type AS type, n._title AS title,
       [key IN keys(n) WHERE NOT key STARTS WITH "_" | key + ": " + n[key]] AS properties, n._tags AS tags
ORDER BY type, title
LIMIT 200

// The ontology
MATCH (t:_ConnectionType)
WHERE t._domain = $domain AND t._name IS NOT NULL
OPTIONAL MATCH (from:_NodeType)<-[f:_FROM]-(t)-[to:_TO]->(target:_NodeType)
RETURN t, f, to, from, target

// The last 20 changes
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0
RETURN e._seq AS number, e._at AS at, e._op AS change, coalesce(e._type, e._kind) AS of, e._title AS title,
       e._source AS source, e._subject AS id
ORDER BY number DESC
LIMIT 20

// The history of a node
// Replace kitchen with a part of its title.
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL AND toLower(n._title) CONTAINS toLower("kitchen")
MATCH (e:_Event {_domain: $domain, _subject: n._id})
WHERE e._seq > 0
RETURN n._title AS node, e._seq AS number, e._at AS at, e._op AS change,
       [key IN keys(e) WHERE NOT key STARTS WITH "_" | key + ": " + e[key]] AS properties
ORDER BY node, number

// Domains
// `:param domain => "…"` switches to another domain.
MATCH (d:_Domain)
WHERE d._id IS NOT NULL
RETURN d._id AS domain, d._seq AS changes, d._created AS created, d._last_at AS changed
ORDER BY changed DESC
