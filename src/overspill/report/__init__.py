"""What a model saw of a session, and whether it was worth it: one page, as a file or live on this machine.

`calls` reads the journal into columns, `parts` an artifact into what was shown, left out and fetched of it, `changes`
says which limits to change, `page` writes the file and `server` serves it. The page itself is `page.html` with its
style and scripts beside it. The command line may import this package.
"""
