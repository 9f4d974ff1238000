"""Walk and path algorithms on edges, without database access."""
