"""Selection of the facts that recall returns."""
