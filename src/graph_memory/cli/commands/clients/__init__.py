"""Commands that configure clients, and the command that clients' hooks run."""
