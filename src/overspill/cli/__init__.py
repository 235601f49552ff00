"""The command line: a module a command, or a group of them, tables of what each takes, and how answers are written.

Only `__main__` and the installed scripts come in here.
"""
