"""What is known of things by their names: asked for, read, and drafted as changes of one write."""
