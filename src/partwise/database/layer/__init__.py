"""The semantic layer: what people call the tables, columns and figures of a database."""
