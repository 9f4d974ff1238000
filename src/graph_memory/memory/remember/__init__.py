"""`remember`: compares new facts with known ones, stores them, and asks about conflicts."""
