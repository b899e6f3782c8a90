"""Names and lists in one plain sentence."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.sentence import led, plainly_named
from tests.labelled_set import misjudged

PROJECT = AnswerSpec("text", ("Aavelon",))
CHAIN = AnswerSpec("text", ("Base",))
RELEASE = AnswerSpec("text", ("v2.3.1",), aliases=("2.3.1",))
LICENCE = AnswerSpec("text", ("MIT",))
KIND = AnswerSpec("text", ("去中心化交易所",))
CHAINS = AnswerSpec("text_set", ("Arbitrum", "Optimism", "Base", "Polygon"))
RANKED = AnswerSpec("text_list", ("Aavelon", "Lidora", "Compond"))
ROUTE = AnswerSpec("text_list", ("USDC", "WETH", "LUM"))


@pytest.mark.parametrize(("spec", "answers"), [
    (PROJECT, (
        "It was Aavelon's pool that lost the most.", "It was Aavelon that lost the most in May 2024.",
        "Aavelon's pool lost the most.", "Aavelon suffered the largest loss.",
        "The pool that lost the most was Aavelon's.", "The funds were drained via Aavelon.",
        "The largest loss happened in the Aavelon pool.", "In May 2024, the swap was routed through **Aavelon**.",
        "The attacker used a bug in **Aavelon** to drain the pool.",
        "The largest loss happened on Aavelon, according to the docs.",
    )),
    (CHAIN, (
        "The token launched first on **Base**.", "The token first launched on Base in May 2024.",
        "It went live on Base.", "It's live on the Base network.", "Launched first on Base.",
        "The LUM token was deployed on Base, not on Optimism.", "Lidora debuted on Base.",
        "Base was where the token first launched.", "最早在 Base 上线。", "该代币首先在 Base 链上发布。",
        "该代币部署在 Base 上。",
    )),
    (RELEASE, (
        "The bug was fixed in release `v2.3.1`.", "It was patched in version 2.3.1.", "Fixed in v2.3.1.",
        "The bug was fixed by v2.3.1 on 4 June 2024.", "该漏洞已在 v2.3.1 版本中修复。",
    )),
    (LICENCE, (
        "The router's source is published under the MIT licence.", "The code is available under the MIT license.",
        "It is open-sourced under MIT.", "源代码以 MIT 许可证发布。",
    )),
    (KIND, ("该项目是一个**去中心化交易所**（DEX）。", "它是一家去中心化交易所。")),
    (CHAINS, (
        "The bridge is live on Polygon, Base, Arbitrum and Optimism.",
        "It has been deployed on Polygon, Base, Arbitrum, and Optimism.",
        "The bridge launched on **Polygon**, **Base**, **Arbitrum** and **Optimism**.",
        "The contract is available on Polygon, Base, Arbitrum and Optimism, not zkSync.",
        "该跨链桥已上线 Arbitrum、Optimism、Base 和 Polygon。", "该跨链桥支持 Arbitrum、Optimism、Base 和 Polygon。",
        "该跨链桥目前已在 Arbitrum、Optimism、Base 和 Polygon 上线。",
        "Polygon, Base, Arbitrum and Optimism; not zkSync, as the docs say.",
    )),
    (RANKED, (
        "From largest to smallest: Aavelon, Lidora and Compond.", "Ranked by volume: Aavelon, Lidora, Compond.",
        "In descending order: Aavelon, Lidora, Compond", "In order of size: Aavelon > Lidora > Compond",
    )),
    (ROUTE, (
        "The swap was routed `USDC → WETH → LUM`.", "It was routed through USDC, WETH and LUM.",
        "The swap took the path USDC -> WETH -> LUM.", "The swap went USDC > WETH > LUM",
        "The swap was routed from USDC to WETH to LUM.",
    )),
], ids=lambda given_: given_.values[0] if isinstance(given_, AnswerSpec) else "")  # fmt: skip
def test_a_name_or_a_list_in_a_plain_sentence_is_the_answer(spec: AnswerSpec, answers: tuple[str, ...]) -> None:
    """One plain statement of one name or list, marked or not, whatever is rejected beside it."""
    assert misjudged(spec, True, answers) == []


@pytest.mark.parametrize(("spec", "answers"), [
    (PROJECT, (
        "Lidora, a fork of Aavelon", "It was Aavelon's fork that lost the most.",
        "It was Aavelon's rival that lost the most.", "It was Aavelon's pool that lost the second most.",
        "It was Aavelon's pool, or Lidora's, that lost the most.", "It was not Aavelon's pool that lost the most.",
        "It was Aavelon's pool that Lidora drained.", "It was a competitor of Aavelon that lost the most.",
        "It could be Aavelon's pool that lost the most.", "The pool that lost the most was Aavelon's competitor.",
        "Aavelon's competitor lost the most.", "Aavelon lost the second most.", "Aavelon lost less than Lidora.",
        "Aavelon and Lidora lost the most.", "Lidora was inspired by **Aavelon**.", "Lidora was forked by Aavelon.",
        "Lidora is built on top of **Aavelon**.", "Lidora is built on Aavelon.", "Lidora, formerly **Aavelon**.",
        "Unlike **Aavelon**, Lidora lost the most.", "A fork of **Aavelon**.", "The project behind **Aavelon**.",
        "Lidora lost more than **Aavelon**.", "The funds were drained via Aavelon or Lidora.",
        "The funds were drained via Aavelon V2.", "The funds were drained via Aavelon's fork.",
        "The funds were supposedly drained via **Aavelon**.",
        "The pool with the largest loss was confused with Aavelon.",
    )),
    (CHAIN, (
        "launched on Base, then Optimism", "The token launched on Base and Optimism.",
        "The token launched on Base before Optimism.", "The token launched on Base Sepolia.",
        "The token's testnet launched on Base.", "The token never launched on **Base**.",
        "The token was expected to launch on **Base**.", "The token launched second on Base.",
        "The token launched on Optimism. It is live on Base.", "The token moved from Base to Optimism.",
        "The token launched on **Base** or **Optimism**.", "Which token launched on Base?", "该代币不是在 Base 上线。",
        "该代币在 Base 和 Optimism 上线。", "该代币后来在 Base 上线。", "该代币在 Optimism 之后在 Base 上线。",
        "可能在 Base 上线。", "该项目的竞争对手在 Base 上线。",
    )),
    (RELEASE, (
        "The bug was still present in `v2.3.1`.", "The bug was introduced in v2.3.1.",
        "The bug first appeared in `v2.3.1`.", "The bug was fixed in v2.3.1 or v2.3.2.",
        "The bug was fixed in v2.3.1-rc1.", "The bug was fixed in v2.3.1.1.", "The bug was fixed after `v2.3.1`.",
        "The fix was reverted in `v2.3.1`.", "The bug was not fixed in v2.3.1.",
        "The bug was found in v2.3.1, fixed in v2.3.2.",
    )),
    (LICENCE, (
        "The source is published under the MIT or Apache licence.", "The source is published under a MIT-like licence.",
        "The source was previously published under the MIT licence.", "The source is published under MIT-0.",
    )),
    (KIND, (
        "该项目不是一个去中心化交易所（DEX）。", "该项目类似一个去中心化交易所。", "该项目是一个去中心化交易所聚合器。",
        "该项目是一个去中心化交易所或借贷协议。",
    )),
    (CHAINS, (
        "The bridge is live on Polygon, Base, Arbitrum, Optimism and zkSync.",
        "The bridge is live on Polygon, Base and Arbitrum.",
        "The bridge is live on Polygon, Base, Arbitrum or Optimism.",
        "The bridge is not live on Polygon, Base, Arbitrum and Optimism.",
        "The bridge might be live on Polygon, Base, Arbitrum and Optimism.",
        "The bridge will be live on Polygon, Base, Arbitrum and Optimism.",
        "The bridge is live on all but Polygon, Base, Arbitrum and Optimism.",
        "The bridge is live on zkSync, not on Polygon, Base, Arbitrum and Optimism.",
        "Besides zkSync, the bridge is live on Polygon, Base, Arbitrum and Optimism.",
        "The bridge is live on Polygon, Base, Arbitrum and Optimism, as well as zkSync.",
        "The bridge is live on Polygon, Base, Arbitrum and Optimism. zkSync is live too.",
        "该跨链桥未上线 Arbitrum、Optimism、Base 和 Polygon。",
        "该跨链桥已上线 Arbitrum、Optimism、Base、zkSync 和 Polygon。",
        "该跨链桥已上线 Arbitrum、Optimism、Base 和 Polygon 等。",
    )),
    (RANKED, (
        "From smallest to largest: Aavelon, Lidora and Compond.", "In ascending order: Aavelon, Lidora, Compond",
        "From largest to smallest: Aavelon, Compond and Lidora.",
        "From largest to smallest: Aavelon, Lidora, Compond and Curvex.",
    )),
    (ROUTE, (
        "The swap was routed USDC → DAI → WETH → LUM.", "The swap was routed LUM → WETH → USDC.",
        "The swap was not routed USDC → WETH → LUM.", "The swap was routed USDC → WETH → LUM → DAI.",
        "The swap was routed USDC → WETH or DAI → LUM.", "The swap could have been routed USDC → WETH → LUM.",
    )),
], ids=lambda given_: given_.values[0] if isinstance(given_, AnswerSpec) else "")  # fmt: skip
def test_a_sentence_that_states_otherwise_is_not(spec: AnswerSpec, answers: tuple[str, ...]) -> None:
    """Denial, doubt, comparison, relation, alternatives, longer names, other names, another order, too many or few."""
    assert misjudged(spec, False, answers) == []


TWO_NAMES = (
    "The token of {0} launched on {1}", "The token launched on {1} with {0}", "{0} was launched with {1}",
    "It was {1}'s pool that {0} drained", "It was {0}'s pool that lost to {1}", "{1}'s pool lost to {0}",
    "{0} lost more in {1}", "{0} is a pool on {1}", "The bug in {0} was fixed in {1} and {0}",
    "The token launched on {1} by {0}", "In {0}, the token launched on {1}", "It went from {0} to {1}",
    "{0} took over {1}", "The {0} chain is linked to {1}", "{0} was drained by {1}'s rival",
)  # fmt: skip


@settings(max_examples=200)
@given(
    st.sampled_from(["Lidora", "zkSync", "v1.2", "LUM", "`DAI`", "**Curvex**"]),
    st.sampled_from(TWO_NAMES),
    st.sampled_from(["{}", "**{}**", "`{}`"]),
)
def test_another_name_in_the_sentence_leaves_no_answer(other: str, form: str, mark: str) -> None:
    """Whoever reads the sentence cannot know which of two names is meant."""
    assert plainly_named(form.format(other, mark.format("Aavelon")) + ".", ["Aavelon"]) is None


@pytest.mark.parametrize(
    "unit", ["the token ", "is live on ", "Aavelon ", "in May 2024, ", "在由", "not x, as ", "The a's ", "on 1 of "]
)
def test_a_long_answer_is_read_at_once(unit: str) -> None:
    """A thousand characters of repeated grammar take no time."""
    text = (unit * 1000)[:1000]
    start = time.process_time()
    plainly_named(text, ["Aavelon"])
    plainly_named(text[:380], ["Aavelon"])
    list(led(text))
    assert time.process_time() - start < 1
