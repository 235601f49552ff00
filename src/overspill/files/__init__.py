"""The file system, handled with care: safe writes, directories below a root, owner-only caches, logs that rotate.

Everything that keeps something on disk stands on it, the database of the ledger apart: settings, journal, store,
hand-offs. It needs `_lite` and `errors` only, and all that comes after it may import it.
"""
