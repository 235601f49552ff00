"""Overspill inside agent frameworks: one small module each, loaded when it is imported and not before.

Every module here is an extra: `pip install 'overspill[langchain]'` brings what `overspill.frameworks.langchain`
needs, and without it the import says so. For a framework that has no module of its own there are two names that
need nothing: `overspill.limited`, which lets a function return the view of its result, and
`overspill.artifact_tools`, which gives the model the functions that fetch the rest.

What all of them do is in `results.py` (what is done to a result), `fetching.py` (the model's tools) and `needs.py`
(what is said when an extra is missing).
"""
