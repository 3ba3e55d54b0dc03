"""Small databases with questions as colleagues type them, each with SQL; `check` runs them all."""
