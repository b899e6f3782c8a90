"""Releases of a repository: a series by their publication, as far as a recording shows that nothing changed since.

A list that is recorded whole, at any later moment, holds the list of every moment before: what was published by then.
What counts on (downloads, reactions) or was edited later is not known of the past.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from caia_replay.core.provider import Recorded
from caia_replay.providers.endpoint import AS_OF_NOW_S, answered_at, is_of_now
from caia_replay.providers.github_page import Shelf, moment_of, shelf_of

_COUNTED: Final = "download_count"


def release_lists(recordings: Sequence[Recorded], now: int) -> Iterator[Shelf]:
    """Every list of releases as it was at ``now``: recorded then, or recorded whole later and cut.

    ``recordings`` are list pages. A whole list has pages of one moment, give or take what "now" may be off.
    """
    current = shelf_of([found for found in recordings if is_of_now(found, now)])
    if current is not None:
        yield current
    later = [(at, found) for found in recordings if (at := answered_at(found.reply)) is not None and at > now]
    for at, _ in sorted(later, key=lambda one: one[0]):
        shelf = shelf_of([found for moment, found in later if at <= moment <= at + AS_OF_NOW_S])
        if shelf is None or not shelf.is_whole:
            continue
        cut = [item for item in shelf.first() if not _is_after(item, now)]
        if all(was_so(item, now) for item in cut):
            yield shelf.having(cut, True)


def was_so(release: Any, now: int) -> bool:
    """Whether a release that was recorded after ``now`` was published by then, and read the same."""
    published, changed = _moment(release, "published_at"), _moment(release, "updated_at")
    if published is None or published > now or (changed is not None and changed > now):
        return False
    reactions, assets = release.get("reactions"), release.get("assets")
    if isinstance(reactions, dict) and reactions.get("total_count"):
        return False
    return isinstance(assets, list) and all(_was_untouched(asset, now) for asset in assets)


def is_still_so(release: Any) -> bool:
    """Whether a release holds nothing that counts on: then an older recording of it is as good as a new one."""
    return _moment(release, "published_at") is not None and release.get("assets") == []


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
