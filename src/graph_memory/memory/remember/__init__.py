"""`remember`: compares new facts with known facts, stores them, and asks about conflicts."""
