"""The commands ``data``, ``generate``, ``plot``, ``report`` and ``reproduce`` of ``partwise``.

One file a command: it takes values, calls the package that does the work, and prints.
"""
