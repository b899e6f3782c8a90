from caia_replay.core.provider import HttpRequest
from caia_replay.providers.blockscout_question import Question, cursor_of, is_module, is_rest, question_of

HOST = "https://eth.blockscout.com"


def asked(path: str, host: str = HOST) -> Question:
    """A question by its path."""
    return question_of(HttpRequest("GET", f"{host}/api/v2/{path}"))


def test_kinds_are_told_by_the_path() -> None:
    """What was mined is told of for good, what an explorer counts and sorts is of now."""
    kinds = {"transactions/0x1": "transaction", "blocks/5": "block", "addresses/0x1/token-transfers": "transfer",
             "transactions/0x1/internal-transactions": "internal", "tokens/0x1/holders": "", "addresses/0x1": "",
             "transactions/stats": "", "tokens": "", "addresses/0x1/a/b": ""}  # fmt: skip
    assert {path: asked(path).kind for path in kinds} == kinds
    assert asked("blocks/5").is_single
    assert not asked("transactions/stats").is_single and not asked("blocks/5/transactions").is_single


def test_filters_are_of_the_list_and_keys_of_the_page() -> None:
    """Pages of one list have one family, whatever its size, place or the caller's key."""
    one = asked("addresses/0x1/transactions?filter=to&block_number=5&index=1&items_count=50&apikey=x&key=y")
    assert (dict(one.filters), dict(one.cursor)) == ({"filter": "to"}, {"block_number": "5", "index": "1"})
    assert one.size == "50"
    assert one.family == asked("addresses/0x1/transactions?filter=to").family
    assert one.family != asked("addresses/0x1/transactions?filter=from").family
    assert one.family != asked("addresses/0x1/transactions?filter=to", "https://api.blockscout.com/10").family


def test_the_next_page_is_named_by_plain_values() -> None:
    """Nothing, words and truths are written as parameters are; a caller's key is left out."""
    told = {"index": 3, "is_name_null": False, "inserted_at": None, "name": "a", "key": "secret", "x": [1]}
    assert cursor_of({"next_page_params": told}) == {"index": "3", "is_name_null": "false", "name": "a"}
    assert cursor_of({"next_page_params": None}) is None is cursor_of({"next_page_params": [1]})


def test_the_two_interfaces_are_told_apart() -> None:
    """By their path, on an instance and on the pooled host; another method or host is neither."""
    pooled = "https://api.blockscout.com"
    rests = (f"{HOST}/api/v2/x", f"{pooled}/10/api/v2/x")
    modules = (f"{HOST}/api?module=a", f"{pooled}/v2/api?chain_id=1")
    for url in (*rests, *modules, f"{HOST}/10/api/v2/x", "https://eth.example/api"):
        request = HttpRequest("GET", url)
        assert (is_rest(request, ()), is_module(request, ())) == (url in rests, url in modules), url
        assert not is_rest(HttpRequest("POST", url), ()) and not is_module(HttpRequest("POST", url), ())
