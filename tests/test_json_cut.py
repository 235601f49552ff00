"""JSON stays JSON at every budget, and what is kept of it stays as it was written."""

import json

from hypothesis import given

from documents import assert_kept, json_texts, limits, options, sides, view
from overspill.spans import Options


@given(text=json_texts, limit=limits, settings=options, side=sides)
def test_every_view_of_json_is_json_within_the_budget(text: str, limit: int, settings: Options, side: str) -> None:
    found = view(text, "json", limit, settings, side=side)
    json.loads(found.text)
    assert_kept(text, found, limit)
