"""Farms: mirrors, digests and collections of answers, which live off what others wrote. No attack is needed for them.

Most of what they say is right. ``MISTAKE_PERCENT`` of mirrored pages and of answers have a figure wrong, as machines
and hurried people get figures wrong; ``STALE_PERCENT`` of the answers on settled matters still give what was reported
first. Both rates are what docs/web.md states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import matter_page, news, number
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.matter import HOUR_S, Matter, matters
from caia_worldgen.web.page import Claim, Told, WebPage
from caia_worldgen.web.place import link
from caia_worldgen.web.prose import PhraseBook, Written, fill, join
from caia_worldgen.web.truth import Truth

MISTAKE_PERCENT: Final = 7
STALE_PERCENT: Final = 22
_MIRRORED: Final = {"matter": 150, "news": 150}
"""How many pages on matters, and how many others of the newsrooms, are shown again by a mirror."""
_ANSWERED_PERCENT: Final = 85
"""Of matters, how many a collection of answers has a page on; a third of those have two."""
_DIGEST_DAYS: Final = 6
_CUT_PERCENT: Final = 30
"""Of mirrored pages, how many stop after some paragraphs."""
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")


def pages(truth: Truth) -> Iterator[WebPage]:
    """Mirrored pages, answers, then digests."""
    farm = _Farm(truth)
    written = {"matter": list(matter_page.pages(truth)), "news": list(news.pages(truth))}
    for name, most in _MIRRORED.items():
        dated = [one for one in written[name] if not one.copy_of and one.page.language == "en"]
        for one in truth.rng(f"farm/{name}").some(dated, min(most, len(dated))):
            yield from farm.mirrored(one)
    for matter in matters(truth):
        yield from farm.answers(matter)
    yield from farm.digests([*written["matter"], *written["news"]])


class _Farm:
    """Writes them all."""

    def __init__(self, truth: Truth) -> None:
        self._truth, self._book = truth, PhraseBook("matter", truth.seed)
        self._end = truth.midnight(truth.days) - HOUR_S
        self._names = {one.site: one.name for one in truth.cast.sites()}
        self._taken: set[str] = set()

    def _of(self, manner: str) -> list[Outlet]:
        return [one for one in self._truth.cast.farms if one.manner == manner]

    def _url(self, outlet: Outlet, moment: int, name: str) -> str:
        """An address that nothing else has."""
        url = first = outlet.url(f"{number.iso_day(moment)}-{name}")
        count = 1
        while url in self._taken:
            count += 1
            url = f"{first}-{count}"
        self._taken.add(url)
        return url

    def mirrored(self, one: WebPage) -> Iterator[WebPage]:
        """A page again, whole or cut short, between a line above and one below."""
        rng = self._truth.rng(f"farm/mirror/{one.page.url}")
        outlet, moment = rng.one(self._of("mirror")), (one.page.published or 0) + rng.number(10, 4_000) * 60
        if not one.page.published or moment >= self._end:
            return
        host = one.page.url.split("/")[2]
        source = self._names.get(host, host)
        slots = {"source": source, "page": link(one.page.title, one.page.url), "day": number.short_day(moment)}
        if rng.happens(MISTAKE_PERCENT):
            one = slipped(one, rng)
        paragraphs = one.page.text.split("\n\n")
        if rng.happens(_CUT_PERCENT) and len(paragraphs) > 2 and not _is_doubtful(one):
            paragraphs = [*paragraphs[:-1], ""]
        text = join([self._book.say("mirror_head", slots, rng), Written("\n\n".join(paragraphs).strip(), ()),
                     self._book.say("mirror_foot", slots, rng)])  # fmt: skip
        claims = tuple(claim for claim in one.claims if claim.words in text.text or claim.words in one.page.title)
        page = Page(self._url(outlet, moment, _slug(one.page.title)), one.page.title, text.text, moment,
                    author=rng.one(outlet.authors), language="en")  # fmt: skip
        yield WebPage(page, "farm/mirror", claims, one.copy_of or one.page.url)

    def answers(self, matter: Matter) -> Iterator[WebPage]:
        """Pages that answer what people type: what was known when they were written, or what was known before."""
        rng = self._truth.rng(f"farm/answers/{matter.id}")
        if not rng.happens(_ANSWERED_PERCENT):
            return
        subject = matter.subject
        for outlet in rng.some(self._of("answers"), 2 if rng.happens(33) else 1):
            moment = matter.told_at + rng.number(10, 26 * 24) * HOUR_S + rng.number(0, HOUR_S - 1)
            if moment >= self._end:
                continue
            is_late = moment > matter.settled_at and not rng.happens(STALE_PERCENT)
            value = matter.told(matter.settled, moment) if is_late else matter.told_first(moment)
            then = matter.settled_at if is_late else matter.told_at
            slots: dict[str, Told | str] = dict(matter.words)
            slots |= {
                "value": value, "then": number.day(then), "about": subject.about[:1].lower() + subject.about[1:],
                "source": matter.outlet.name if not is_late else subject.name, "site": subject.site,
                "what": fill(matter.sort.what, slots).text, "short": fill(matter.sort.query, slots).text,
            }  # fmt: skip
            slots["what"] = re.sub(r"^The ", "the ", str(slots["what"]))
            slots["short"] = str(slots["short"])[0].lower() + str(slots["short"])[1:]
            title = self._book.say("answer_title", slots, rng)
            head = self._book.say("answer_head", slots, rng)
            more = [self._book.say("answer_more", slots, rng) for _ in range(rng.number(2, 4))]
            # What was reported first, in the words of the press, unless better is known.
            told = self._book.say(f"{matter.sort.name}_press", slots | {"outlet": matter.outlet.name}, rng)
            said = rng.some([*more, *([] if is_late else [told])], len(more) + (not is_late))
            text = join([head, *said], rng.one(("\n\n", " ", "\n")))
            page = Page(self._url(outlet, moment, matter.id), title.text, text.text, moment,
                        author=rng.one(outlet.authors), language="en")  # fmt: skip
            made = WebPage(page, "farm/answer", tuple(dict.fromkeys((*title.claims, *text.claims))))
            # What is settled is exact, so that a digit of it is easily got wrong.
            yield slipped(made, rng) if is_late and rng.happens(MISTAKE_PERCENT) else made

    def digests(self, written: Sequence[WebPage]) -> Iterator[WebPage]:
        """Every few days: titles and first sentences of what appeared, each with its link."""
        whole = [one for one in written if one.page.language == "en" and not one.copy_of and not _is_doubtful(one)]
        for outlet in self._of("digest"):
            rng = self._truth.rng(f"farm/digest/{outlet.id}")
            for day in range(rng.number(3, _DIGEST_DAYS + 2), self._truth.days, _DIGEST_DAYS):
                moment = self._truth.midnight(day) + rng.number(6, 22) * HOUR_S
                fresh = [one for one in whole if moment - _DIGEST_DAYS * DAY_S < (one.page.published or 0) < moment]
                if len(fresh) < 4 or moment >= self._end:
                    continue
                slots = {"day": number.day(moment)}
                parts, claims = [self._book.say("digest_head", slots, rng)], list[Claim]()
                for one in rng.some(fresh, min(len(fresh), rng.number(4, 8))):
                    said = re.split(r"(?<=[a-z)][.?!]) ", one.page.text.split("\n")[0])[0]
                    parts.append(Written(f"{link(one.page.title, one.page.url)}\n{said}", ()))
                    claims += [claim for claim in one.claims if claim.words in parts[-1].text]
                title, text = self._book.say("digest_title", slots, rng), join(parts)
                page = Page(self._url(outlet, moment, "digest"), title.text, text.text, moment,
                            author=rng.one(outlet.authors), language="en")  # fmt: skip
                yield WebPage(page, "farm/digest", tuple(dict.fromkeys(claims)))


def _is_doubtful(made: WebPage) -> bool:
    """Whether a page tells a rumour: a part of it might leave the doubt out."""
    return any(claim.status == "rumour" for claim in made.claims)


def slipped(made: WebPage, rng: Rng) -> WebPage:
    """The page with two neighbouring digits of one of its figures swapped wherever it stands, or as it was where that
    changes none."""
    able = [(claim, words) for claim in made.claims if (words := _swapped(claim.words)) != claim.words
            and claim.status == "true" and claim.kind not in ("address", "release", "block")]  # fmt: skip
    if not able:
        return made
    claim, words = rng.one(able)
    value: Fraction | str = words
    if isinstance(claim.value, Fraction):
        before, after = (Fraction(_NUMBER.search(one)[0].replace(",", "")) for one in (claim.words, words))  # type: ignore[index]
        value = claim.value * after / before
    wrong = replace(claim, words=words, value=value, status="mistaken")
    whole = re.compile(rf"(?<![\d.,]){re.escape(claim.words)}(?![\d]|[.,]\d)")
    text, title = (whole.sub(words, one) for one in (made.page.text, made.page.title))
    # Other claims that were written alike are no longer there.
    kept = [one for one in made.claims if one is not claim and (one.words in text or one.words in title)]
    return replace(made, page=replace(made.page, text=text, title=title), claims=(wrong, *kept))


def _swapped(words: str) -> str:
    """The first two neighbouring digits of the first number that differ, swapped; no number begins with 0."""
    found = _NUMBER.search(words)
    if found is None:
        return words
    digits = found[0]
    for at in range(len(digits) - 1):
        one, other = digits[at], digits[at + 1]
        if one.isdigit() and other.isdigit() and one != other and not (at == 0 and other == "0"):
            swapped = digits[:at] + other + one + digits[at + 2 :]
            return words[: found.start()] + swapped + words[found.end() :]
    return words


def _slug(title: str) -> str:
    return "-".join("".join(one if one.isascii() and one.isalnum() else " " for one in title.lower()).split()[:9])
