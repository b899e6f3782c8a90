import gzip
import tracemalloc
import zlib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.recording.content_coding import decoded


def _raw_deflate(body):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def _brotli(body):
    return pa.compress(body, codec="brotli", asbytes=True)


def _zstd(body):
    return pa.compress(body, codec="zstd", asbytes=True)


PACK = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "identity": lambda body: body,
        "br": _brotli, "zstd": _zstd}  # fmt: skip
RAW = b"\xff" + b"words " * 200


@given(st.binary(max_size=300), st.lists(st.sampled_from(sorted(PACK)), max_size=3))
def test_what_was_encoded_is_decoded(body, names):
    """Any stack of codings is undone from the last to the first, in one header line or several."""
    packed = body
    for name in names:
        packed = PACK[name](packed)
    assert decoded(packed, [", ".join(names)], from_the_wire=True) == body
    assert decoded(packed, [name.upper() for name in names], from_the_wire=True) == body


def test_deflate_may_lack_its_wrapper():
    """Raw streams, which many servers send, decode as well."""
    assert decoded(_raw_deflate(RAW), ["deflate"]) == RAW


def test_members_follow_one_another():
    """A gzip body of several members, padded or not, is all of them; too many are refused."""
    assert decoded(gzip.compress(b"a") + gzip.compress(b"b") + b"\0\0", ["gzip"]) == b"ab"
    with pytest.raises(BadInput, match="more than 100 gzip members"):
        decoded(gzip.compress(b"") * 101, ["gzip"])


@pytest.mark.parametrize("text", ["价", '{"a": 1}', "(a)", "words that are long enough to be certain", "3" * 40])
@pytest.mark.parametrize("name", ["gzip", "zstd", "br"])
def test_text_under_a_coding_was_decoded_by_its_recorder(name, text):
    """No gzip or zstd stream is text, no brotli stream a long one; on the wire nobody has decoded anything."""
    if name != "br" or len(text) >= 16:
        assert decoded(text.encode(), [name]) == text.encode()
    else:
        with pytest.raises(BadInput):
            decoded(text.encode(), [name])
    with pytest.raises(BadInput):
        decoded(text.encode(), [name], from_the_wire=True)


@pytest.mark.parametrize("name", sorted(PACK))
def test_an_empty_body_has_nothing_to_decode(name):
    """As in a reply to HEAD, which keeps the header."""
    assert decoded(b"", [name]) == decoded(b"", [name], from_the_wire=True) == b""


@given(st.binary(max_size=400), st.booleans())
def test_brotli_is_cut_or_followed_by_nothing(body, from_the_wire):
    """Half a stream, a second stream with content and any other byte are each refused, never decoded in part."""
    packed = _brotli(body)
    for broken in (packed[:-1], packed + _brotli(b"more"), packed + b"\xff"):
        if broken:
            with pytest.raises(BadInput):
                decoded(broken, ["br"], from_the_wire=from_the_wire)


def test_digits_are_no_empty_brotli_stream():
    """To a brotli decoder "33" is two streams of nothing; an empty answer would be invented."""
    for text in (b"33", b"1" * 20 + b"3", b";;", b"7777777777777777777777"):
        with pytest.raises(BadInput):
            decoded(text, ["br"], from_the_wire=True)


@pytest.mark.parametrize("cut", [1, 9, 12, 200])
@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("zstd", _zstd),
                                            ("deflate", _raw_deflate), ("br", _brotli)])  # fmt: skip
def test_a_cut_or_continued_body_is_refused(name, pack, cut):
    """Neither half a body nor a body with something behind it is served."""
    body = bytes(range(256)) * 4
    packed = pack(body)
    for broken in (packed[:cut], packed + b"more"):
        with pytest.raises(BadInput):
            decoded(broken, [name])


def test_a_changed_body_is_refused():
    """The check sum at the end of a gzip stream is held to."""
    packed = bytearray(gzip.compress(RAW))
    packed[-6] ^= 1
    with pytest.raises(BadInput, match="does not decode as gzip"):
        decoded(bytes(packed), ["gzip"])


@pytest.mark.parametrize("name", ["gzip, sdch", "compress", "x", "dcb"])
def test_an_unknown_coding_is_named(name):
    """It is never taken for a body that is not encoded."""
    with pytest.raises(BadInput, match=f"encoded as {name.split()[-1]!r}"):
        decoded(RAW, [name])


def test_growth_is_bounded():
    """A body at the limit decodes, one byte more is refused, in one layer, in several, and in several members."""
    limit = 10_000
    for pack, name in [*((pack, name) for name, pack in PACK.items()), (_raw_deflate, "deflate")]:
        assert len(decoded(pack(b"\0" * limit), [name], limit)) == limit
        with pytest.raises(BadInput, match="more than"):
            decoded(pack(b"\0" * (limit + 1)), [name], limit)
    with pytest.raises(BadInput, match="more than"):
        decoded(gzip.compress(gzip.compress(b"\0" * 10**7)), ["gzip, gzip"], limit)
    with pytest.raises(BadInput, match="more than"):
        decoded(gzip.compress(b"\0" * 6_000) * 2, ["gzip"], limit)
    with pytest.raises(BadInput, match="encoded 4 times"):
        decoded(b"\xff", ["gzip"] * 4)
    with pytest.raises(BadInput, match="more than"):
        decoded(b"\xff" * (limit + 1), [], limit)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_not_unpacked(name):
    """What is refused for its size was never held: 64 MiB of nothing cost little more than the bound."""
    packed = PACK[name](b"\0" * 2**26)
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="more than"):
            decoded(packed, [name], 2**20)
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()
