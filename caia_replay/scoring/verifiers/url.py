"""Web addresses: the same page, whatever the scheme and the tracking parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import claim, fault_beside
from caia_replay.scoring.words import words_of

_URL = re.compile(
    r"(?<![\w@.%/-])(?:https?://[^\s<>\"`{}|\\^（）【】，。；、！？《》「」“”]+"
    r"|(?:[^\W_](?:[\w-]{0,62})\.)+[^\W\d_]{2,24}(?![\w@-])(?::\d{1,5})?(?:[/?#][^\s<>\"`{}|\\^（）【】，。；、！？《》「」“”]*)?)",
    re.IGNORECASE,
)
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_FILES = (".md", ".sol", ".json", ".js", ".ts", ".py", ".rs", ".toml", ".csv", ".pdf")
_PORTS = {"http": 80, "https": 443}
_UNRESERVED = re.compile(r"%(?:2[dD]|2[eE]|5[fF]|7[eE]|3[0-9]|4[1-9a-fA-F]|5[0-9aA]|6[1-9a-fA-F]|7[0-9aA])")
_HEX = re.compile(r"0x[0-9a-fA-F]{40,64}(?![0-9a-zA-Z])")
_LINK = re.compile(r"(?<=\] )\(\s?<?([^\s<>()]{1,1000}(?:\([^\s()]*\)[^\s()]*)?)")
_MARKUP = re.compile(r"\*\*|`|<(?=https?:)|(?<=\S)>(?=[\s.,)]|$)")
_TRACKING = re.compile(r"utm_\w*|ref|ref_\w+", re.IGNORECASE)


class UrlVerifier:
    """Right when the one address the answer gives is the value's, or an alias's: host, path and query.

    Scheme, case of the host, a leading "www.", a closing slash, the default port, the fragment and the parameters
    "ref" and "utm_..." are ignored, the order of parameters too. A path is told by its case, hexadecimal words are
    not, and a fragment that is a route ("#/swap") counts as path. Two different addresses are a hedge, and so is a link
    whose text is one and whose target is another.
    """

    reads: tuple[str, ...] = ("aliases",)

    def form(self, spec: AnswerSpec) -> str:
        """A link."""
        return "one web address"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when a value or alias is not one web address."""
        accepted = [_only(value) for value in (*spec.values, *spec.aliases)]
        if len(spec.values) != 1:
            raise BadInput("a url answer has one value", where="answer.values")
        text = _MARKUP.sub(" ", re.sub(r"\]\s?(?=\()", "] ", answer.translate(_INVISIBLE)))
        text = text.replace("—", "-").replace("–", "-")
        said = claim(text, lambda part: [span for span, _ in _found(part)])
        found = list(_found(said.text))
        pages = {page for _, page in found} | {
            _page(link[1]) or link[1]
            for link in _LINK.finditer(said.text)
            if link[1][0] != "#" and not _URL.match(link[1])
        }
        if fault := fault_beside(said.text, [span for span, _ in found], words_of(question, figures=True)):
            return Score(False, fault)
        readings = {accepted[0] if page in accepted else page for page in pages}
        if len(readings) != 1:
            return Score(False, f"hedged between {len(readings)} pages" if readings else "no web address is stated")
        reading = readings.pop()
        if any(page == reading or page in accepted for part in said.rejected for _, page in _found(part)):
            return Score(False, f"says and rejects {reading}")
        return Score(reading == accepted[0], f"read {reading}", reading)


def _only(value: str) -> str:
    pages = {page for _, page in _found(value)}
    found = _URL.search(value)
    if len(pages) != 1 or found is None or found[0] != value.strip():
        raise BadInput(f"{value!r} is not one web address", where="answer.values")
    return pages.pop()


def _found(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    for found in _URL.finditer(text):
        word = _trimmed(found[0])
        if not word.lower().startswith("http") and word.lower().endswith(_FILES):
            continue
        if page := _page(word):
            yield (found.start(), found.start() + len(word)), page


def _trimmed(word: str) -> str:
    """The address without the marks of the prose around it; brackets it opened itself stay."""
    cut = re.split(r"\]\(|\)\[|\*\*", word, maxsplit=1)[0]
    while cut and (
        cut[-1] in ".,;:!?*_'~" or (cut[-1] in ")]" and cut.count(cut[-1]) > cut.count({")": "(", "]": "["}[cut[-1]]))
    ):
        cut = cut[:-1]
    return cut


def _page(word: str) -> str | None:
    """The canonical page of an address; None for what is none."""
    scheme = re.match(r"https?(?=://)", word, re.IGNORECASE)
    try:
        parts = urlsplit(word if scheme else f"//{word}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host:
        return None
    host = host.rstrip(".").removeprefix("www.")
    # who logs in where is not the page's, and has been used to make one host look like another
    login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    default = port is None or port == _PORTS[(scheme[0] if scheme else "https").lower()]
    path = _plain(parts.path).rstrip("/")
    fragment = parts.fragment.lstrip("!")
    route = f"#{fragment.rstrip('/')}" if fragment.startswith("/") and fragment.strip("/") else ""
    pairs = sorted(
        (name, _plain(value))
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(name)
    )
    query = "&".join(f"{name}={value}" for name, value in pairs)
    return f"{login}{host}{'' if default else f':{port}'}{path}{'?' if query else ''}{query}{route}"


def _plain(text: str) -> str:
    """Escapes of letters, digits and ``-._~`` undone, hexadecimal words in lower case."""
    plain = _UNRESERVED.sub(lambda found: chr(int(found[0][1:], 16)), text)
    return _HEX.sub(lambda found: found[0].lower(), plain)
