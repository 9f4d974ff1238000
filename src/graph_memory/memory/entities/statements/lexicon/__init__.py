"""Languages whose statements are compared: one file each."""
