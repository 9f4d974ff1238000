"""A domain's communities: groups of nodes that are more connected with each other than with other nodes."""
