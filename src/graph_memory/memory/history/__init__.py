"""The log as it is read: changes in words, differences, the graph as it was."""
