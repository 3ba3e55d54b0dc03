"""The SCAN domain: navigation commands and the actions that they mean."""
