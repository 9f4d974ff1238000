// The sessions whose summaries name the project, ignoring case.
// mode: read
// params: domain, project
// returns: session
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _type, _id)
WHERE n._domain = $domain AND n._type = 'SessionSummary' AND n._id IS NOT NULL
  AND toLower(n.project) = toLower($project) AND n.session IS NOT NULL
RETURN n.session AS session
