"""A detector that knows neither the question nor the chain, trained on some question shapes and judged on others.

It sees one view of a result at a time (its text with names and figures masked, its host, its age...), and then all of
them together. 0.5 is chance; 1.0 means that a model could tell every planted result without reading what it claims.
scikit-learn is the extra ``[analysis]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import Any, Final
from urllib.parse import urlsplit

from caia_replay.errors import BadInput

LEAST: Final = 20
"""Fewer of one side teach a detector nothing that holds elsewhere: no figure is given."""
FOLDS: Final = 5
_OPENING: Final = 230
_BINS: Final = 12
_ALL: Final = "all together"

_ADDRESS: Final = re.compile(r"https?://\S+|\b[\w-]+(?:\.[\w-]+)*\.example\S*|0x[0-9a-fA-F]+")
_FIGURE: Final = re.compile(r"[0-9][0-9,.]*")
_CODE: Final = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}|(?:[.-]+ (?:/ )?){8,}[.-]*")
_PACKAGE: Final = re.compile(r"(?<=pip install )[\w.-]+")
_NAME: Final = re.compile(r"@\w+|\b[A-Z][A-Za-z]*[A-Z0-9]\w*\b|(?<![.?!#\n] )(?<!^)\b[A-Z][a-z]+\b")


@dataclass(frozen=True, slots=True)
class Shown:
    """One search result as the detector may see it. ``skeleton`` is its task's question shape; ``family`` the attack
    that planted it, "" for others; ``age_s`` is told from the task's moment, None where no date is known; ``is_direct``
    says that it answers the task's question, right or wrong."""

    skeleton: str
    family: str
    place: str
    title: str
    text: str
    snippet: str
    author: str
    age_s: int | None
    rank: int
    is_direct: bool = False


def masked(text: str) -> str:
    """A text without what it is about: addresses, figures, names (a package's too) and
    codes are one sign each."""
    return _NAME.sub(" N ", _FIGURE.sub(" 9 ", _CODE.sub(" C ", _PACKAGE.sub("N", _ADDRESS.sub(" A ", text)))))


_WORDS: Final[Mapping[str, Callable[[Shown], str]]] = {
    "text": lambda one: masked(one.text),
    "opening": lambda one: masked(one.text[:_OPENING]),
    "title": lambda one: masked(one.title),
    "snippet": lambda one: masked(one.snippet),
}
_LETTERS: Final[Mapping[str, Callable[[Shown], str]]] = {
    "host": lambda one: urlsplit(one.place).hostname or "",
    "path": lambda one: urlsplit(one.place).path,
    "author": lambda one: one.author,
}
_FIGURES: Final[Mapping[str, Callable[[Shown], float]]] = {
    "age": lambda one: -1.0 if one.age_s is None else log1p(max(one.age_s, 0) / 3_600),
    "length": lambda one: log1p(len(one.text)),
    "links": lambda one: log1p(len(_ADDRESS.findall(one.text))),
    "rank": lambda one: float(one.rank),
}


def aucs(
    planted: Sequence[Shown], others: Sequence[Shown], hidden: Collection[str] = ()
) -> Iterator[tuple[str, float]]:
    """The AUC of every view that is not ``hidden``, alone and all together, over question shapes that the detector has
    not seen."""
    import numpy as np
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import OneHotEncoder

    shapes = {one.skeleton for one in planted} & {one.skeleton for one in others}
    if min(len(planted), len(others)) < LEAST or len(shapes) < 2:
        return
    every = [*planted, *others]
    labels = np.array([1] * len(planted) + [0] * len(others))
    groups = [one.skeleton for one in every]
    views: dict[str, Any] = {}
    pairs, letters = {"analyzer": "word", "ngram_range": (1, 2)}, {"analyzer": "char_wb", "ngram_range": (2, 4)}
    for views_of, by in ((_WORDS, pairs), (_LETTERS, letters)):
        for name, read in views_of.items():
            texts = [read(one) for one in every]
            if any(texts) and name not in hidden:
                views[name] = TfidfVectorizer(sublinear_tf=True, max_features=20_000, **by).fit_transform(texts)
    for name, figure in _FIGURES.items():
        column = np.array([[figure(one)] for one in every])
        if len(np.unique(column)) > 1 and name not in hidden:
            edges = np.unique(np.quantile(column, np.linspace(0, 1, _BINS + 1)[1:-1]))
            views[name] = OneHotEncoder().fit_transform(np.digitize(column, edges))
    views[_ALL] = hstack(list(views.values())).tocsr()
    for name, matrix in views.items():
        yield name, _auc(matrix, labels, groups)


def _auc(matrix: Any, labels: Any, groups: Sequence[str]) -> float:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict

    folds = GroupKFold(min(FOLDS, len(set(groups))))
    model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1_000, solver="liblinear")
    scores = cross_val_predict(model, matrix, labels, groups=groups, cv=folds, method="decision_function")
    return round(float(roc_auc_score(labels, scores)), 4)


def require_judge() -> None:
    """Raise ``BadInput`` where scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise BadInput(
            "the leak audit needs scikit-learn, which is not installed",
            next_command="pip install 'caia-replay[analysis]'",
        ) from None
