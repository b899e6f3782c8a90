"""Releases of a repository: a series by their publication, as far as a recording shows that nothing changed since.

A list that is recorded whole, at any later moment, holds the list of every moment before: what was published by then.
What counts on (downloads, reactions) or was edited later is not known of the past. A recording of before tells nothing:
a release may be edited or deleted at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from caia_replay.core.provider import Recorded
from caia_replay.providers.endpoint import AS_OF_NOW_S, answered_at
from caia_replay.providers.github.moment import is_current, is_of_later, moment_of
from caia_replay.providers.github.page import Shelf, read_page, shelf_of, shelves_of

_COUNTED: Final = "download_count"


def release_lists(recordings: Sequence[Recorded], now: int) -> Iterator[Shelf]:
    """Every list of releases as it was at ``now``: recorded then, or recorded whole later and cut.

    ``recordings`` are list pages. What was recorded then comes first, and nothing that contradicts it comes after. A
    list of which nothing was published by ``now`` is not told: it is not known whether the repository was there.
    """
    current = shelf_of(found for found in recordings if is_current(found, now))
    if current is not None:
        yield current
        if current.is_whole:
            return
    for shelf in _told_together(recordings, now):
        if not shelf.is_whole:
            continue
        cut = [item for item in shelf.first() if not _is_after(item, now)]
        if current is not None and any(cut[at : at + 1] != [item] for at, item in current.items.items()):
            continue
        if cut and all(was_so(item, now) for item in cut):
            yield shelf.having(cut, True)


def _told_together(recordings: Sequence[Recorded], now: int) -> Iterator[Shelf]:
    """The lists that were recorded after ``now``, earliest first.

    Pages belong together within a stretch of time, as those of "now" do; stretches overlap, each page is in two.
    """
    later = [(at, found) for found in recordings if (at := answered_at(found.reply)) is not None and at > now]
    stretches: dict[int, list[Shelf]] = {}
    for at, found in sorted(later, key=lambda one: one[0]):
        page = read_page(found)
        if page is not None:
            number = (at - now) // AS_OF_NOW_S
            stretches.setdefault(number - 1, []).append(page)
            stretches.setdefault(number, []).append(page)
    before: list[Shelf] = []
    for _, pages in sorted(stretches.items(), key=lambda one: one[0]):
        if pages != before:
            yield from shelves_of(pages)
        before = pages


def was_so(release: Any, now: int) -> bool:
    """Whether a release that was recorded after ``now`` was published by then, and read the same.

    One that does not say when it was edited last may have been edited since.
    """
    published, changed = _moment(release, "published_at"), _moment(release, "updated_at")
    if published is None or published > now or changed is None or is_of_later(release, now):
        return False
    reactions, assets = release.get("reactions"), release.get("assets")
    if isinstance(reactions, dict) and reactions.get("total_count"):
        return False
    return isinstance(assets, list) and all(_was_untouched(asset, now) for asset in assets)


def latest(releases: Sequence[Any]) -> Any:
    """The latest full release of a whole list, or None where the vendor's choice is not certain.

    The vendor takes the newest commit; where the newest publication is another one, somebody may have chosen.
    """
    full = [one for one in releases if isinstance(one, dict)]
    full = [one for one in full if one.get("prerelease") is False and one.get("draft") is False]
    names = ("created_at", "published_at")
    if not full or any(_moment(one, name) is None for one in full for name in names):
        return None
    firsts = []
    for name in names:
        newest = max(_moment(one, name) or 0 for one in full)
        firsts.append([one for one in full if _moment(one, name) == newest])
    return firsts[0][0] if firsts[0] == firsts[1] and len(firsts[0]) == 1 else None


def _is_after(release: Any, now: int) -> bool:
    published = _moment(release, "published_at")
    return published is not None and published > now


def _was_untouched(asset: Any, now: int) -> bool:
    changed = _moment(asset, "updated_at")
    return changed is not None and changed <= now and asset.get(_COUNTED) == 0


def _moment(thing: Any, name: str) -> int | None:
    return moment_of(thing.get(name)) if isinstance(thing, dict) else None
