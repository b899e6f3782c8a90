from caia_replay.core.tool import Served, ToolReply


def test_the_model_sees_a_result_or_an_error_and_nothing_beside() -> None:
    """Class, attack and nearest recording stay with us."""
    assert ToolReply(Served.RANKED, {"a": 1}, None, ("seo-page",), "near").shown() == {"a": 1}
    assert ToolReply(Served.MISS, None, {"type": "not_recorded"}, (), "near").shown() == {
        "error": {"type": "not_recorded"}
    }


def test_an_empty_result_is_a_result() -> None:
    """An answer without fields is shown as it is, not taken for an error."""
    assert ToolReply(Served.HIT, {}).shown() == {}
