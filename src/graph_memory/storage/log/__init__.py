"""The log of each domain. A write appends events to the log and projects them to the live graph in one transaction."""
