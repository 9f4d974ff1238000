// Records a schema step with its checksum.
// mode: write
// params: version, name, sha256
// returns: -
CREATE (:_SchemaStep {_version: $version, _name: $name, _sha256: $sha256, _applied: datetime()})
