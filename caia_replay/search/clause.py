"""A read query as clauses over the index's fields, at a bounded cost whatever was typed.

One of the words must match, unless there is a phrase; every further word, and words that stand together as they were
typed, only help to rank. Phrases, sites, authors, languages and windows are musts and lend no score.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import tantivy

from caia_replay.search.document import LATEST, UNDATED, Kind
from caia_replay.search.language import SPELLED_OUT, telling_parts
from caia_replay.search.query import ParsedQuery
from caia_replay.search.text import bigrams, cjk_runs, latin, marks
from caia_replay.search.window import MONTHS, Window

_TITLE_WEIGHT = 1.5
# A word in the better of title and body counts whole, in the other one this much: titles repeat their page.
_OTHER_FIELD = 0.3
# For any word that is there at all, however common: in a question, pages that hold most of it are about it.
_PRESENCE = 3.0
# Two words beside each other, on top of what each is worth alone; one word, such as "of", may stand between.
_PAIR_WEIGHT, _PAIR_SLOP = 0.5, 1
# A day that is named: documents of it or of the next one are about it, and so are those that name it.
_DAY_OF_IT, _DAY_NAMED = 8.0, 8.0
_NEWS_S = 2 * 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
_MAX_WORDS = 64
_MAX_PAIRS = 12
_MAX_PHRASE = 32

_MUST, _SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
_LATIN, _CJK, _ONE, _MARK = "latin", "cjk", "cjk_one", "mark"
_Word = tuple[str, str]
"""A field or pair of fields, and what is looked for there."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What tantivy is asked; ``scored`` is false when nothing in it tells one match from another."""

    query: Any
    scored: bool


class Clauses:
    """Makes clauses for one kind of documents over ``schema``, with words parted by ``analyzer``."""

    def __init__(self, kind: Kind[Any], schema: Any, analyzer: Any) -> None:
        self._kind = kind
        self._schema = schema
        self._analyzer = analyzer

    def asked(self, parsed: ParsedQuery, window: Window, added_only: bool) -> Asked | None:
        """Everything the query asks inside ``window``; None when nothing can match.

        ``added_only`` leaves out what the index's base has too.
        """
        clauses: list[tuple[Any, Any]] = []
        words = self._words(parsed.words)
        if words:
            # Beside a phrase, words only help to rank; alone, one of them must match.
            clauses.append((_SHOULD if parsed.phrases else _MUST, _any_of([self._word(word) for word in words])))
            clauses += [(_SHOULD, pair) for pair in self._pairs(words)]
        elif parsed.words and not parsed.phrases:
            return None
        for phrase in parsed.phrases:
            query = self._phrase(phrase)
            if query is None:
                return None
            clauses.append((_MUST, query))
        # What names a day is a word or a phrase, so there is a must beside these.
        clauses += [(_SHOULD, day) for first in parsed.days for day in self._day(first)]
        scored = bool(clauses)
        for name, wanted in (("site", parsed.sites), ("author", parsed.authors), ("language", parsed.languages)):
            if wanted:
                clauses.append((_MUST, _without_score(_any_of([self._term(name, value) for value in wanted]))))
        if window.bounded:
            clauses.append((_MUST, self._inside(window)))
        if added_only:
            clauses.append((_MUST, _without_score(self._term("added", "1"))))
        if not clauses:
            return None
        return Asked(tantivy.Query.boolean_query([*clauses, *self._unwanted(parsed)]), scored)

    def snippet_words(self, parsed: ParsedQuery) -> list[str]:
        """Beginnings of words, and CJK pairs, that show why a document was found."""
        return [token.lstrip("#@$") for _, token in self._words([*parsed.words, *parsed.phrases])]

    def _words(self, texts: Iterable[str]) -> list[_Word]:
        """What to look for, each once, in the order typed; Chinese particles only where nothing else is asked."""
        found: dict[_Word, bool] = {}
        for text in texts:
            if self._kind.marked and (typed := marks(text)):
                found.update({(_MARK, mark): True for mark in typed})
                continue
            found.update({(_LATIN, token): True for token in self._analyzer.analyze(latin(text))})
            for run in cjk_runs(text):
                parts = telling_parts(run)
                pairs = [pair for part in parts for pair in bigrams(part)]
                found.update({(_CJK, pair): True for pair in pairs})
                if not pairs:
                    found.update({(_CJK if len(run) > 1 else _ONE, pair): False for pair in bigrams(run) or [run]})
        telling = [word for word, tells in found.items() if tells]
        return (telling or list(found))[:_MAX_WORDS]

    def _word(self, word: _Word) -> Any:
        field, token = word
        query = self._term(field, token) if field in (_ONE, _MARK) else self._in_either(field, [token])
        if field == _LATIN and token in SPELLED_OUT:
            in_full = self._in_either(field, self._analyzer.analyze(SPELLED_OUT[token]))
            query = tantivy.Query.disjunction_max_query([query, in_full], _OTHER_FIELD)
        return _any_of([query, tantivy.Query.const_score_query(query, _PRESENCE)])

    def _pairs(self, words: list[_Word]) -> list[Any]:
        """Neighbours among the Latin words, beside each other in the order they were typed."""
        tokens = [token for field, token in words if field == _LATIN]
        couples = list(pairwise(tokens))[:_MAX_PAIRS]
        return [
            tantivy.Query.boost_query(self._in_either(_LATIN, list(couple), _PAIR_SLOP), _PAIR_WEIGHT)
            for couple in couples
        ]

    def _day(self, first: int) -> list[Any]:
        """For a day the query names: what is of that day or the next, and what names it too, however it is written."""
        at = _EPOCH + timedelta(seconds=first)
        year, full = f"{at.year:04d}", MONTHS[at.month - 1]
        days = (str(at.day), f"{at.day:02d}", f"{at.day}{_ORDINALS.get(at.day, 'th')}")
        months = (full, full[:3], "Sept") if full == "September" else (full, full[:3])
        forms = [f"{year} {at.month:02d} {days[1]}", f"{year} {at.month} {days[0]}"]
        forms += [f"{turned} {year}" for month in months for day in days
                  for turned in (f"{month} {day}", f"{day} {month}", f"{day} of {month}")]  # fmt: skip
        named = [self._in_either(_LATIN, self._analyzer.analyze(form)) for form in dict.fromkeys(forms)]
        news = self._inside(Window(first, first + _NEWS_S))
        return [
            tantivy.Query.const_score_query(news, _DAY_OF_IT),
            tantivy.Query.const_score_query(_any_of(named), _DAY_NAMED),
        ]

    def _phrase(self, phrase: str) -> Any | None:
        """Every part of the phrase in its order, in the title or in the body; None when it holds no word at all."""
        must: list[tuple[Any, Any]] = []
        tokens = self._analyzer.analyze(latin(phrase))[:_MAX_PHRASE]
        if tokens:
            must.append((_MUST, self._in_either(_LATIN, tokens)))
        if self._kind.marked:
            must += [(_MUST, self._term(_MARK, mark)) for mark in marks(phrase)[:_MAX_PHRASE]]
        for run in cjk_runs(phrase)[:_MAX_PHRASE]:
            pairs = bigrams(run)[:_MAX_PHRASE]
            must.append((_MUST, self._in_either(_CJK, pairs) if pairs else self._term(_ONE, run)))
        return tantivy.Query.boolean_query(must) if must else None

    def _unwanted(self, parsed: ParsedQuery) -> list[tuple[Any, Any]]:
        queries = [query for text in parsed.excluded if (query := self._phrase(text)) is not None]
        for name, values in (
            ("site", parsed.excluded_sites),
            ("author", parsed.excluded_authors),
            ("language", parsed.excluded_languages),
        ):
            queries += [self._term(name, value) for value in values]
        return [(_NOT, query) for query in queries]

    def _in_either(self, field: str, tokens: list[str], slop: int = 0) -> Any:
        """Tokens side by side, or ``slop`` words apart, in the body, or in the title, where they weigh more."""
        in_body = self._beside(f"body_{field}", tokens, slop)
        if not self._kind.titled:
            return in_body
        in_title = tantivy.Query.boost_query(self._beside(f"title_{field}", tokens, slop), _TITLE_WEIGHT)
        return tantivy.Query.disjunction_max_query([in_title, in_body], _OTHER_FIELD)

    def _beside(self, name: str, tokens: list[str], slop: int) -> Any:
        if len(tokens) == 1:
            return self._term(name, tokens[0])
        return tantivy.Query.phrase_query(self._schema, name, list(tokens), slop)

    def _term(self, name: str, token: str) -> Any:
        return tantivy.Query.term_query(self._schema, name, token)

    def _inside(self, window: Window) -> Any:
        first = UNDATED + 1 if window.after is None else max(UNDATED + 1, window.after)
        last = LATEST if window.before is None else min(window.before - 1, LATEST - 1)
        if first > last:
            return tantivy.Query.empty_query()
        kind = tantivy.FieldType.Integer
        bounds = tantivy.Query.range_query(self._schema, "moment", kind, lower_bound=first, upper_bound=last)
        return _without_score(bounds)


def _any_of(queries: list[Any]) -> Any:
    return queries[0] if len(queries) == 1 else tantivy.Query.boolean_query([(_SHOULD, query) for query in queries])


def _without_score(query: Any) -> Any:
    return tantivy.Query.const_score_query(query, 0.0)
