import gzip
import json
from base64 import b64encode, urlsafe_b64encode
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caia_replay.recording.spelling import first_spelled

# From six bytes on a value is looked for in every spelling; blanks alone would be found in any form.
VALUES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), min_size=6, max_size=30).filter(
    lambda v: v.strip()
)
BYTES = st.binary(max_size=7)

SPELL = {
    "as it is": str.encode,
    "json": lambda value: json.dumps(value).encode(),
    "json, text kept": lambda value: json.dumps(value, ensure_ascii=False).encode(),
    "json in json": lambda value: json.dumps(json.dumps({"a": value})).encode(),
    "every letter": lambda value: value.encode("utf-16-be").hex(" ", 2).replace(" ", "\\u").join(["\\u", ""]).encode(),
    "percent": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()).encode(),
    "percent, capitals": lambda value: quote(value, "").encode(),
    "percent twice": lambda value: quote(quote(value, ""), "").encode(),
    "form": lambda value: quote_plus(value).encode(),
    "entities": lambda value: "".join(f"&#{ord(letter)};" for letter in value).encode(),
    "html in json": lambda value: json.dumps(escape(value)).encode(),
    "hexadecimal": lambda value: value.encode().hex().encode(),
    "hexadecimal, capitals": lambda value: value.encode().hex().upper().encode(),
    "gzip": lambda value: gzip.compress(value.encode()),
}


@pytest.mark.parametrize("name", SPELL)
@given(value=VALUES)
@example(value="plain-words-0")
@example(value='a"b\\c/d+e f&g=价\U0001f511')
@example(value="000%00")
@example(value="é&amp;%41")
def test_every_spelling_is_found(name, value):
    """A value is found whatever was done to the text that holds it."""
    data = SPELL[name](value)
    assert first_spelled(data, [value]) == value


@given(value=VALUES, before=BYTES, after=BYTES, encode=st.sampled_from([b64encode, urlsafe_b64encode]))
def test_base64_is_found_in_the_middle_of_other_bytes(value, before, after, encode):
    """At each of the three places that a value may begin in a group, as in a user and password."""
    assert first_spelled(b'{"a": "' + encode(before + value.encode() + after) + b'"}', [value]) == value


@given(value=st.text("abcdefXYZ0189", min_size=8, max_size=24), data=st.binary(max_size=200))
def test_nothing_is_found_where_nothing_is(value, data):
    """What has no letter of the value in it, or is random, does not hold it."""
    assert first_spelled(data, [value]) is None
    assert first_spelled(b"-" * 100, [value]) is None


def test_what_is_not_looked_for():
    """An empty value stands nowhere; a short one only as it is."""
    assert first_spelled(b"anything", ["", ""]) is None
    assert first_spelled(b"an abc", ["abc"]) == "abc"
    assert first_spelled(b64encode(b"abc"), ["abc"]) is None


def test_binary_bodies_are_searched_byte_by_byte():
    """Text inside them, wide text, and letters that are no ASCII."""
    for spelled in ("key-价格-9".encode(), "key-价格-9".encode("utf-16-le")):
        assert first_spelled(b"\x89PNG\xff\x00" + spelled + b"\xfe\xff", ["key-价格-9"]) == "key-价格-9"


@given(
    value=VALUES,
    names=st.lists(st.sampled_from(["json", "percent", "percent, capitals", "form", "html in json"]), max_size=3),
    around=st.text('ab1{}[],:."\\%&+ \n价', max_size=12),
)
@example(value="plain-words-0", names=["percent", "json"], around='\\"')
@example(value="ends-in\\", names=["json"], around='"')
def test_what_stands_around_a_value_hides_it_on_no_layer(value, names, around):
    """Whatever ends a stretch of text, and however many escapes lie over the value."""
    spelled = value
    for name in names:
        spelled = SPELL[name](spelled).decode()
    assert first_spelled(f"{{{around}, {spelled}, {around}}}".encode(), [value]) == value


@pytest.mark.parametrize("end", ["\n", "\r\n  ", "\\n", "\\r\\n", "%0A", "&#10;"])
@pytest.mark.parametrize("size", [16, 20, 40])
def test_lines_of_base64_are_one_text(end, size):
    """Broken by white space or by its escapes, the later lines as short as they like."""
    code = b64encode(b"some words before, key-1234567890-key, and after").decode()
    lines = [code[:size], *(code[at : at + 5] for at in range(size, len(code), 5))]
    assert first_spelled(f'{{"a": "{end.join(lines)}"}}'.encode(), ["key-1234567890-key"]) is not None
    far = "     ".join(lines)
    assert first_spelled(f'{{"a": "{far}"}}'.encode(), ["key-1234567890-key"]) is None


def test_the_first_value_is_told_though_a_part_of_it_is_one_too():
    """A key behind its scheme and the key alone, in the order given."""
    data = b'{"echo": "Bearer key-1234567"}'
    assert first_spelled(data, ["Bearer key-1234567", "key-1234567"]) == "Bearer key-1234567"
    assert first_spelled(data, ["key-1234567", "Bearer key-1234567"]) == "key-1234567"
    assert first_spelled(b"key%2D1234567", ["Bearer key-1234567", "key-1234567"]) == "key-1234567"


@pytest.mark.parametrize("line", [b"a", b"%41", b"\\\\", b"&#65;", b"aaaaaaaaaaaaaaaa ", b"\\u0041", b" "])
def test_a_long_line_takes_time_in_proportion(line):
    """A contract's code is a line of many thousand characters; none of them is begun at anew."""
    assert first_spelled(line * 200_000, ["key-1234567890-key"]) is None
