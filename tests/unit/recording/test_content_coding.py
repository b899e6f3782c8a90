import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.recording.content_coding import decoded


def _raw_deflate(body):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACK = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "identity": lambda body: body}
RAW = b"\xff" + b"words " * 200


@given(st.binary(max_size=300), st.lists(st.sampled_from(sorted(PACK)), max_size=3))
def test_what_was_encoded_is_decoded(body, names):
    """Any stack of codings is undone from the last to the first, in one header line or several."""
    packed = body
    for name in names:
        packed = PACK[name](packed)
    assert decoded(packed, [", ".join(names)]) == decoded(packed, [name.upper() for name in names]) == body


def test_deflate_may_lack_its_wrapper():
    """Raw streams, which many servers send, decode as well."""
    assert decoded(_raw_deflate(RAW), ["deflate"]) == RAW


def test_members_follow_one_another():
    """A gzip body of several members, padded or not, is all of them; too many are refused."""
    assert decoded(gzip.compress(b"a") + gzip.compress(b"b") + b"\0\0", ["gzip"]) == b"ab"
    with pytest.raises(BadInput, match="more than 100 gzip members"):
        decoded(gzip.compress(b"") * 101, ["gzip"])


def test_text_under_gzip_was_decoded_by_its_recorder():
    """No gzip stream is text; an empty body has nothing to decode."""
    assert decoded("价".encode(), ["gzip"]) == "价".encode()
    assert decoded(b"", ["gzip"]) == decoded(b"", ["deflate"]) == b""


@pytest.mark.parametrize("cut", [1, 9, 12, 200])
@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress),
                                            ("deflate", _raw_deflate)])  # fmt: skip
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


@pytest.mark.parametrize("name", ["br", "zstd", "gzip, br", "compress", "x"])
def test_an_unknown_coding_is_named(name):
    """It is never taken for a body that is not encoded."""
    with pytest.raises(BadInput, match=f"encoded as {name.split()[-1]!r}"):
        decoded(RAW, [name])


def test_growth_is_bounded():
    """A body at the limit decodes, one byte more is refused, in one layer, in several, and in several members."""
    limit = 10_000
    for pack, name in ((gzip.compress, "gzip"), (zlib.compress, "deflate"), (_raw_deflate, "deflate")):
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
