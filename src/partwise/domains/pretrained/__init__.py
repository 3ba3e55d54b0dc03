"""Small parsers that come with the package, one folder each; made by scripts/make_pretrained.py."""
