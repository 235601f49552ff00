"""The world of one call, found once: root, session, settings, and what they ask for.

Every door opens one; nothing below knows where it came from.
"""
