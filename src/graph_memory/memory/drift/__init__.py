"""Changes made directly in Neo4j: detect them, then adopt or undo them."""
