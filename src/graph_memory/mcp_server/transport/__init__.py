"""How messages come and go: standard input and output, HTTP."""
