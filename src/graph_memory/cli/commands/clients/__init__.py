"""Commands that configure clients, and the command that their hooks run."""
