"""What happened, one JSON line an event: written, read back, added up, and watched for thresholds.

No text of a tool ever gets here.
"""
