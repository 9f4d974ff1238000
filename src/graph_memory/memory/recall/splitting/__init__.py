"""Where a text may be cut into passages: units of its kind, and the rule that packs them."""
