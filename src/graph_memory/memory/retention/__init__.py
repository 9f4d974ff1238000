"""What goes for good: erasure, compaction, and the search for what is left."""
