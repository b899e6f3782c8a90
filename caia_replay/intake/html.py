"""HTML that cannot be broken by what stands in it: everything is escaped unless it was made by ``tag``."""

from __future__ import annotations

from html import escape
from typing import Final

_EMPTY: Final = frozenset(("br", "hr", "input", "link", "meta"))


class Html(str):
    """Markup. Any other text is data."""

    __slots__ = ()


def tag(name_: str, /, *inside: object, **attributes: object) -> Html:
    """An element. ``inside``: markup, texts, or lists of both; None is nothing. An attribute that is False or None is
    left out, True stands without a value; an underscore at a name's end is dropped, in it becomes a dash."""
    told = ""
    for key, value in attributes.items():
        if value is not None and value is not False:
            spelled = key.rstrip("_").replace("_", "-")
            told += f" {spelled}" if value is True else f' {spelled}="{escape(str(value))}"'
    content = "".join(map(_markup, inside))
    return Html(f"<{name_}{told}>" if name_ in _EMPTY else f"<{name_}{told}>{content}</{name_}>")


def document(title: str, *body: object) -> bytes:
    """A whole page, as UTF-8; it takes its style and its one script from the server that sends it."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("link", rel="stylesheet", href="/page.css"),
        tag("script", src="/page.js", defer=True),
    )
    page = tag("html", head, tag("body", tag("main", *body)), lang="en", data_ready="1")
    return f"<!doctype html>{page}".encode("utf-8", "replace")


def _markup(part: object) -> str:
    if part is None:
        return ""
    if isinstance(part, Html):
        return part
    if isinstance(part, (list, tuple)):
        return "".join(map(_markup, part))
    return escape(str(part))
