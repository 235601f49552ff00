"""The flow of one text: source -> clean -> redact -> measure -> decide -> keep, cut, render -> report.

`api` calls it; doors and frameworks come in through `api`.
"""
