"""The log. Events are appended to it and projected to the live graph in one transaction."""
