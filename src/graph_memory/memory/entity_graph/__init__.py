"""Storage of entities, observations and relations as graph nodes and relationships."""
