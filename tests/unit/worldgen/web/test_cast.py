"""Who writes on the synthetic web: few outlets print much, and many little."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from caia_replay.attacks.site import AUDITOR, FARM, NEWS
from caia_worldgen.web.cast import ALSO, DESKS, NEWSROOMS, Cast, Outlet


def an_outlet(id: str, language: str = "en") -> Outlet:
    """An outlet of one author."""
    return Outlet(id, id.title(), f"{id}.example", "daily", language, ("Selvena Fistosa",))


LEADS = tuple(
    an_outlet(id, language) for id, language in (("harborspan", "en"), ("velvettree", "en"), ("quanribao", "zh"))
)
CAST = Cast(
    LEADS, (), {lead.id: (lead, *(an_outlet(f"{lead.id}{at}", lead.language) for at in range(39))) for lead in LEADS},
    (), an_outlet("scan"), an_outlet("venue"), (), {}, (), (), an_outlet("register"), (), (),
)  # fmt: skip


def test_few_outlets_print_much_and_many_little() -> None:
    """Of 1,000 pieces by forty outlets the first prints a fifth, the first five a half, and most fewer than twenty."""
    printed = Counter(CAST.house(LEADS[0], f"piece {turn}").id for turn in range(1_000))
    often = [count for _, count in printed.most_common()]
    assert printed.most_common(1)[0][0] == LEADS[0].id
    assert 180 < often[0] < 290 and sum(often[:5]) > 450
    assert len(often) > 36 and sum(count < 20 for count in often) > 20
    assert all(one >= other for one, other in pairwise(often))


def test_a_piece_is_printed_by_one_outlet_of_its_own_kind() -> None:
    """The same piece by the same one, and never by one of another newsroom."""
    for lead in LEADS:
        printed = {name: CAST.house(lead, name) for name in map(str, range(200))}
        assert printed == {name: CAST.house(lead, name) for name in printed}
        assert all(house in CAST.houses[lead.id] for house in printed.values())


def test_outlets_are_all_newsrooms_and_those_beside_them() -> None:
    """Of a language, or all."""
    assert len(CAST.outlets()) == 120 and len(CAST.outlets("zh")) == 40
    assert {one.language for one in CAST.outlets("en")} == {"en"}


def test_no_sort_of_site_is_planted_alone() -> None:
    """Every sort that attacks name a site by is one that honest sites of a world are of."""
    manners = {manner for manner, *_ in (*NEWSROOMS, *DESKS)}
    assert {*FARM, *NEWS, *AUDITOR} <= {sort for manner in manners for sort in ALSO.get(manner, (manner,))}
