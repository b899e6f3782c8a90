"""A deterministic ranking of recorded pages, on tantivy.

Three things would let rankings differ between two builds of one corpus, and are fixed here: documents are added by
one writer thread in the order of their URLs; more is fetched than asked for and sorted again by (rounded score,
URL), so that neither float noise nor document order decides; and the text analysis is ours, not the query parser's.

Scores depend on the whole corpus. Pages after ``visible_until`` are never returned, though they count in how rare
a word is, which moves scores a little and shows nothing of the page.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tantivy

from caia_replay.canonical import digest
from caia_replay.core.world import Page, Ranked
from caia_replay.search.document import (
    bigram_text,
    bigrams,
    cjk_runs,
    latin,
    normalised,
    site_terms,
    snippet,
    unigram_text,
)
from caia_replay.search.query import ParsedQuery, parse_query

INDEX_VERSION = 1

_TITLE_WEIGHT = 3.0
_SCORE_DIGITS = 4
_EXTRA_FETCH = 50
_WRITER_BYTES = 50_000_000
# tantivy stores signed 64-bit; an undated page is older than any moment, so no cut removes it.
_UNDATED = -(2**62)
_LATEST = 2**62

_MUST, _SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
_Clause = tuple[Any, Any]


class SearchIndex:
    """Pages, ranked. ``folder`` keeps the built index on disk under its corpus digest; without it, it is in memory.

    Pages that ``base`` has too are scored by ``base``: added pages stand among them and push them down, and never
    change their order by making a word less rare. So two rankings differ only where an added page is shown.

    The order of ``pages`` does not matter. Searching from several threads is safe.
    """

    def __init__(self, pages: Sequence[Page], folder: Path | None = None, base: SearchIndex | None = None) -> None:
        self._base = base
        self._pages = sorted(pages, key=_page_order)
        self._known = frozenset(self._pages)
        self._analyzer = _analyzer()
        self._schema = _schema()
        self._searcher = (self._in_memory() if folder is None else self._in_folder(folder)).searcher()

    def __len__(self) -> int:
        """How many pages are indexed."""
        return len(self._pages)

    def search(self, query: str, limit: int, visible_until: int | None = None) -> tuple[Ranked, ...]:
        """At most ``limit`` pages for any text as ``query``, best first, ranks from 1.

        ``visible_until`` (seconds since 1970 UTC) leaves out pages published after it; undated pages stay.
        An empty tuple says that nothing in the corpus matches. Never raises for a query, whatever its text.
        """
        parsed = parse_query(query)
        if not parsed.asks or limit < 1 or not self._pages:
            return ()
        scored = self._scored(parsed, limit, visible_until)
        if self._base is not None:
            scored = [(score, page) for score, page in scored if page not in self._base._known]
            scored += self._base._scored(parsed, limit, visible_until)
        scored.sort(key=lambda item: (-item[0], _page_order(item[1])))
        words = self._snippet_words(parsed)
        return tuple(Ranked(i + 1, page, snippet(page.text, words)) for i, (_, page) in enumerate(scored[:limit]))

    def _scored(self, parsed: ParsedQuery, limit: int, visible_until: int | None) -> list[tuple[float, Page]]:
        """The pages that match best with their rounded scores, in no order; more than are asked for."""
        clauses = self._clauses(parsed)
        if not clauses or not self._pages:
            return []
        if visible_until is not None:
            clauses.append((_MUST, self._published_until(visible_until)))
        fetched = 3 * min(limit, len(self._pages)) + _EXTRA_FETCH
        hits = self._searcher.search(tantivy.Query.boolean_query(clauses), fetched, count=False).hits
        ordinals = self._searcher.fast_field_values("ordinal", [address for _, address in hits])
        return [(round(score, _SCORE_DIGITS), self._pages[ordinal]) for (score, _), ordinal in zip(hits, ordinals)]

    def _clauses(self, parsed: ParsedQuery) -> list[_Clause]:
        """The query as tantivy clauses; empty when nothing in it can match anything."""
        asked: list[_Clause] = []
        words = [query for word in parsed.words for query in self._word_queries(word)]
        if words:
            # Beside a phrase, words only help to rank; alone, one of them must match.
            asked.append((_SHOULD if parsed.phrases else _MUST, _any_of(words)))
        for phrase in parsed.phrases:
            query = self._phrase_query(phrase)
            asked.append((_MUST, tantivy.Query.empty_query() if query is None else query))
        if parsed.sites:
            asked.append((_MUST, _without_score(_any_of([self._term("site", site) for site in parsed.sites]))))
        if not asked or (parsed.words and not words and not parsed.phrases):
            return []
        for text in parsed.excluded:
            query = self._phrase_query(text)
            if query is not None:
                asked.append((_NOT, query))
        asked += [(_NOT, self._term("site", site)) for site in parsed.excluded_sites]
        return asked

    def _word_queries(self, word: str) -> list[Any]:
        queries = [self._titled(token, "title", "body") for token in self._analyzer.analyze(latin(word))]
        for run in cjk_runs(word):
            if len(run) == 1:
                queries.append(self._term("cjk_one", run))
            queries += [self._titled(pair, "title_cjk", "body_cjk") for pair in bigrams(run)]
        return queries

    def _phrase_query(self, phrase: str) -> Any | None:
        """Every part of the phrase in its order, in the title or in the body; None when it holds no word at all."""
        must: list[_Clause] = []
        tokens = self._analyzer.analyze(latin(phrase))
        if tokens:
            must.append((_MUST, self._in_either(tokens, "title", "body")))
        for run in cjk_runs(phrase):
            if len(run) == 1:
                must.append((_MUST, self._term("cjk_one", run)))
            else:
                must.append((_MUST, self._in_either(bigrams(run), "title_cjk", "body_cjk")))
        return tantivy.Query.boolean_query(must) if must else None

    def _in_either(self, tokens: list[str], title: str, body: str) -> Any:
        if len(tokens) == 1:
            return self._titled(tokens[0], title, body)
        in_title, in_body = (tantivy.Query.phrase_query(self._schema, name, list(tokens)) for name in (title, body))
        return _any_of([tantivy.Query.boost_query(in_title, _TITLE_WEIGHT), in_body])

    def _titled(self, token: str, title: str, body: str) -> Any:
        return _any_of([tantivy.Query.boost_query(self._term(title, token), _TITLE_WEIGHT), self._term(body, token)])

    def _term(self, name: str, token: str) -> Any:
        return tantivy.Query.term_query(self._schema, name, token)

    def _published_until(self, moment: int) -> Any:
        return _without_score(
            tantivy.Query.range_query(
                self._schema,
                "published",
                tantivy.FieldType.Integer,
                lower_bound=_UNDATED,
                upper_bound=max(_UNDATED, min(moment, _LATEST - 1)),
            )
        )

    def _snippet_words(self, parsed: ParsedQuery) -> list[str]:
        words: list[str] = []
        for text in (*parsed.words, *parsed.phrases):
            words += self._analyzer.analyze(latin(text))
            words += [part for run in cjk_runs(text) for part in (bigrams(run) or [run])]
        return words

    def _in_memory(self) -> Any:
        index = tantivy.Index(self._schema)
        self._fill(index)
        return index

    def _in_folder(self, folder: Path) -> Any:
        """Open the index of this corpus in ``folder``, building it first when it is not there.

        It is built aside and renamed, so a reader sees a whole index or none; of two builders one wins.
        """
        corpus = [INDEX_VERSION, version("tantivy"), [[p.url, p.title, p.text, p.published] for p in self._pages]]
        place = folder / digest(corpus).removeprefix("sha256:")
        if not place.is_dir():
            partial = folder / f".{place.name}.{os.getpid()}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            self._fill(tantivy.Index(self._schema, path=str(partial)))
            try:
                partial.rename(place)
            except OSError:
                shutil.rmtree(partial, ignore_errors=True)
                if not place.is_dir():
                    raise
        return tantivy.Index.open(str(place))

    def _fill(self, index: Any) -> None:
        index.register_tokenizer("latin", self._analyzer)
        writer = index.writer(_WRITER_BYTES, 1)
        for ordinal, page in enumerate(self._pages):
            title, text = normalised(page.title), normalised(page.text)
            published = _UNDATED if page.published is None else max(_UNDATED, min(page.published, _LATEST))
            writer.add_document(
                tantivy.Document(
                    ordinal=ordinal,
                    published=published,
                    title=latin(title),
                    body=latin(text),
                    title_cjk=bigram_text(title),
                    body_cjk=bigram_text(text),
                    cjk_one=unigram_text(f"{title} {text}"),
                    site=site_terms(page.url),
                )
            )
        writer.commit()
        writer.wait_merging_threads()
        index.reload()


def _page_order(page: Page) -> tuple[str, str, str, int, str]:
    published = _UNDATED if page.published is None else page.published
    return page.url, page.title, page.text, published, page.altered_by


def _any_of(queries: list[Any]) -> Any:
    return queries[0] if len(queries) == 1 else tantivy.Query.boolean_query([(_SHOULD, query) for query in queries])


def _without_score(query: Any) -> Any:
    return tantivy.Query.const_score_query(query, 0.0)


def _analyzer() -> Any:
    keep = tantivy.Filter
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(keep.remove_long(100))
    return builder.filter(keep.lowercase()).filter(keep.ascii_fold()).filter(keep.stemmer("english")).build()


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("ordinal", fast=True)
    builder.add_integer_field("published", indexed=True, fast=True)
    for name in ("title", "body"):
        builder.add_text_field(name, tokenizer_name="latin")
    for name in ("title_cjk", "body_cjk"):
        builder.add_text_field(name, tokenizer_name="whitespace")
    builder.add_text_field("cjk_one", tokenizer_name="whitespace", index_option="basic")
    builder.add_text_field("site", tokenizer_name="raw", index_option="basic")
    return builder.build()
