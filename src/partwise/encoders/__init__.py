"""Words to vectors, and the files of arrays that everything trained is kept in.

Imports errors, interface and language. `storage`, `functions` and `readers` need no torch; they are
what a saved parser is used with. `base` says what an encoder does while it is trained, and how one
is made and loaded by name; those of other packages are entry points ``partwise.encoders``, and
their readers ``partwise.readers``.
"""
