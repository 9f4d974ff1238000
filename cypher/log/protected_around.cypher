// Subjects that the deletion of a subject affects: the subject; for a node, its connections and neighbours if either
// is protected; for an observation or link, its node.
// mode: read
// params: domain, subject, about
// returns: subject
RETURN $subject AS subject
UNION
MATCH (n:_Node {_domain: $domain, _id: $subject})
MATCH (n)-[r]-(m:_Node)
WHERE r._domain = $domain AND r._id IS NOT NULL AND (r._protection IS NOT NULL OR m._protection IS NOT NULL)
UNWIND [r, m] AS one
RETURN one._id AS subject
UNION
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $domain AND e._subject = $subject AND e._seq > 0 AND e._kind IN $about AND e._from IS NOT NULL
RETURN DISTINCT e._from AS subject
