from caia_replay.cassette.secret import SCRUBBED, is_secret, masked


def test_credentials_are_known_by_name_in_any_spelling():
    """Case, dashes and underscores do not hide a credential's name."""
    for name in ("apikey", "API_KEY", "x-api-key", "x_cg_pro_api_key", "apiKey", "Authorization", "access_token"):
        assert is_secret(name), name


def test_words_of_the_trade_are_no_credentials():
    """A storage key, a token contract or a public key is data."""
    for name in ("key", "token", "token_address", "keys", "publickey", "tokens", "contract"):
        assert not is_secret(name), name


def test_masking_reaches_every_depth_and_keeps_the_rest():
    """Non-empty strings under a credential's name are replaced, blanks and other types stay."""
    value = {"a": [{"api_key": "x", "n": 2**200}], "secret": "", "password": None}
    assert masked(value) == {"a": [{"api_key": SCRUBBED, "n": 2**200}], "secret": "", "password": None}
