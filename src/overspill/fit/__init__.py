"""The flow of one text: source -> clean -> redact -> measure -> decide -> keep, cut, render -> report.

`api` and `decorator` call it for programs, `handoff` for the texts of phases; they and all that comes after them may
import this package.
"""
