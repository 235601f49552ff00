"""The command line: one module a command word, tables of what each takes, and how answers are written.

Only `__main__` and the installed scripts come in here.
"""
