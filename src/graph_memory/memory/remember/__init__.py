"""`remember`: compare new facts with known ones, store them, and ask about conflicts."""
