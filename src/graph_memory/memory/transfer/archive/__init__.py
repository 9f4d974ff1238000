"""The file format of an exported domain, with its writer, reader, checks and import."""
