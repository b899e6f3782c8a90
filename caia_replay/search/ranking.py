"""A deterministic ranking of documents of one kind, on tantivy.

Several things would let rankings differ between two builds of one corpus, and are fixed here: documents are added by
one writer thread in an order of their own, into one segment, so that neither merges nor random segment names decide;
results are sorted by (rounded score, that order), so that float noise does not; and the text analysis is ours, not the
query parser's.

Scores depend on the whole corpus. Documents outside a window are never returned, though they count in how rare a word
is, which moves scores a little and shows nothing of the document.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from threading import get_ident
from typing import Any, Generic, TypeVar

import tantivy

from caia_replay.canonical import digest
from caia_replay.errors import CheckFailed
from caia_replay.search.clause import Clauses
from caia_replay.search.document import Kind, author_terms
from caia_replay.search.language import language_terms
from caia_replay.search.query import ParsedQuery, parse_query
from caia_replay.search.site import site_terms
from caia_replay.search.text import bigram_text, latin, marks, normalised, plain_numbers, unigram_text
from caia_replay.search.window import Window

INDEX_VERSION = 2

_SCORE_DIGITS = 4
_EXTRA_FETCH = 50
# Up to here ties are fetched whole to be sorted; behind it they come in the order of the documents by themselves.
_MOST_FETCHED = 20_000
# What a writer may hold before it would begin a second segment: more than an index of so many characters ever needs,
# and the most tantivy allows. A writer sets some of it aside at once, so a small corpus asks for little.
_LEAST_WRITER_BYTES, _WRITER_BYTES_A_CHARACTER, _MOST_WRITER_BYTES = 50_000_000, 24, 4_290_000_000

T = TypeVar("T")


class Ranking(Generic[T]):
    """Pages or posts, ranked. ``folder`` keeps the built index on disk under its corpus digest; else it is in memory.

    What ``base`` has too is scored by ``base``: added documents stand among the others and push them down, and never
    change their order by making a word less rare. So two rankings differ only where an added document is shown.

    The order of ``subjects`` does not matter, equal ones count once. Searching from several threads is safe.
    """

    def __init__(
        self, kind: Kind[T], subjects: Iterable[T], folder: Path | None = None, base: Ranking[T] | None = None
    ) -> None:
        self._kind = kind
        self._base = base
        self._known = frozenset(subjects)
        self._subjects = sorted(self._known, key=kind.order)
        analyzer, schema = _analyzer(), _schema()
        self._clauses = Clauses(kind, schema, analyzer)
        index = self._filled(tantivy.Index(schema), analyzer) if folder is None else self._kept(folder, analyzer)
        self._searcher = index.searcher()
        if self._searcher.num_segments > 1:
            raise CheckFailed(
                f"{len(self)} documents are too many for one index segment, and rankings over several would not repeat"
            )

    def __len__(self) -> int:
        """How many documents are indexed."""
        return len(self._subjects)

    def found(self, query: str, limit: int, offset: int, window: Window, in_order: bool) -> tuple[list[T], list[str]]:
        """Results ``offset`` to ``offset + limit`` of any text as ``query``, best first, and the words to show them by.

        ``in_order`` ranks all that match by the order of their kind alone. Never raises for a query, whatever its text.
        """
        if offset < 0:
            raise ValueError(f"offset is {offset}; it counts results, from 0")
        parsed = parse_query(query, self._kind.operators)
        if not parsed.asks or limit < 1:
            return [], []
        needed, window = offset + limit, window & parsed.window
        scored = self._scored(parsed, needed, window, in_order)
        if self._base is not None:
            scored += self._base._scored(parsed, needed, window, in_order)
        scored.sort(key=lambda item: (-item[0], self._kind.order(item[1])))
        return [subject for _, subject in scored[offset:needed]], self._clauses.snippet_words(parsed)

    def _scored(self, parsed: ParsedQuery, needed: int, window: Window, in_order: bool) -> list[tuple[float, T]]:
        """At least the ``needed`` best matches that the base lacks, with their rounded scores."""
        asked = self._clauses.asked(parsed, window, added_only=self._base is not None)
        needed = min(needed, len(self))
        if asked is None or not needed:
            return []
        if in_order or not asked.scored:
            found = self._searcher.search(
                asked.query, needed, count=False, order_by_field="ordinal", order=tantivy.Order.Asc
            )
            return [(0.0, self._subjects[ordinal]) for ordinal, _ in found.hits]
        fetched = needed + _EXTRA_FETCH
        while True:
            hits = [
                (round(score, _SCORE_DIGITS), address)
                for score, address in self._searcher.search(asked.query, fetched, count=False).hits
            ]
            # Equal scores are sorted by the documents' order, so all of those at the end have to be here.
            if len(hits) < fetched or hits[-1][0] < hits[needed - 1][0] or fetched >= _MOST_FETCHED:
                break
            fetched *= 4
        ordinals = self._searcher.fast_field_values("ordinal", [address for _, address in hits])
        return [(score, self._subjects[ordinal]) for (score, _), ordinal in zip(hits, ordinals)]

    def _kept(self, folder: Path, analyzer: Any) -> Any:
        """Open the index of this corpus in ``folder``, building it first when it is not there.

        It is built aside and renamed, so a reader sees a whole index or none; of two builders one wins.
        """
        place = folder / digest(self._corpus()).removeprefix("sha256:")
        if not place.is_dir():
            partial = folder / f".{place.name}.{os.getpid()}.{get_ident()}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            self._filled(tantivy.Index(_schema(), path=str(partial)), analyzer)
            try:
                partial.rename(place)
            except OSError:
                shutil.rmtree(partial, ignore_errors=True)
                if not place.is_dir():
                    raise
        return tantivy.Index.open(str(place))

    def _corpus(self) -> list[object]:
        """Everything that decides what is in the index."""
        read = ((subject, self._kind.document(subject)) for subject in self._subjects)
        documents = [
            [one.url, one.title, one.text, one.stored_moment, one.author, one.language, self._is_added(subject)]
            for subject, one in read
        ]
        return [INDEX_VERSION, version("tantivy"), self._kind.name, documents]

    def _is_added(self, subject: T) -> bool:
        return self._base is not None and subject not in self._base._known

    def _filled(self, index: Any, analyzer: Any) -> Any:
        index.register_tokenizer("latin", analyzer)
        read = (self._kind.document(subject) for subject in self._subjects)
        needed = _WRITER_BYTES_A_CHARACTER * sum(len(one.title) + len(one.text) for one in read)
        writer = index.writer(min(_LEAST_WRITER_BYTES + needed, _MOST_WRITER_BYTES), 1)
        for ordinal, subject in enumerate(self._subjects):
            writer.add_document(self._row(ordinal, subject))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        return index

    def _row(self, ordinal: int, subject: T) -> Any:
        """A document as the index holds it; what is empty is left out."""
        one = self._kind.document(subject)
        title, text = plain_numbers(normalised(one.title)), plain_numbers(normalised(one.text))
        row: dict[str, Any] = {
            "title_latin": latin(title),
            "body_latin": latin(text),
            "title_cjk": bigram_text(title),
            "body_cjk": bigram_text(text),
            "cjk_one": unigram_text(f"{title} {text}"),
            "mark": " ".join(marks(text)) if self._kind.marked else "",
            "site": site_terms(one.url),
            "author": author_terms(one.author),
            "language": language_terms(one.language, f"{one.title} {one.text}"),
            "added": "1" if self._is_added(subject) else "",
        }
        kept = {name: value for name, value in row.items() if value}
        return tantivy.Document(ordinal=ordinal, moment=one.stored_moment, **kept)


def _analyzer() -> Any:
    keep = tantivy.Filter
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(keep.remove_long(100))
    return builder.filter(keep.lowercase()).filter(keep.ascii_fold()).filter(keep.stemmer("english")).build()


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("ordinal", fast=True)
    builder.add_integer_field("moment", indexed=True, fast=True)
    for field in ("title", "body"):
        builder.add_text_field(f"{field}_latin", tokenizer_name="latin")
        builder.add_text_field(f"{field}_cjk", tokenizer_name="whitespace")
    for field in ("cjk_one", "mark"):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="basic")
    for field in ("site", "author", "language", "added"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    return builder.build()
