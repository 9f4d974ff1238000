"""The two choices of the design that had to be measured: how properties are indexed, and how substrings are found."""
