"""Commands about clients, and the command that their hooks run."""
