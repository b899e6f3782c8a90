"""Names and lists in one plain sentence."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.sentence import led, plainly_named

PROJECT = AnswerSpec("text", ("Aavelon",))
CHAIN = AnswerSpec("text", ("Base",))
RELEASE = AnswerSpec("text", ("v2.3.1",), aliases=("2.3.1",))
LICENCE = AnswerSpec("text", ("MIT",))
KIND = AnswerSpec("text", ("去中心化交易所",))
CHAINS = AnswerSpec("text_set", ("Arbitrum", "Optimism", "Base", "Polygon"))
RANKED = AnswerSpec("text_list", ("Aavelon", "Lidora", "Compond"))
ROUTE = AnswerSpec("text_list", ("USDC", "WETH", "LUM"))


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        (PROJECT, "It was Aavelon's pool that lost the most."),
        (PROJECT, "It was Aavelon that lost the most in May 2024."),
        (PROJECT, "Aavelon's pool lost the most."),
        (PROJECT, "Aavelon suffered the largest loss."),
        (PROJECT, "The pool that lost the most was Aavelon's."),
        (PROJECT, "The funds were drained via Aavelon."),
        (PROJECT, "The largest loss happened in the Aavelon pool."),
        (PROJECT, "In May 2024, the swap was routed through **Aavelon**."),
        (PROJECT, "The attacker used a bug in **Aavelon** to drain the pool."),
        (PROJECT, "The largest loss happened on Aavelon, according to the docs."),
        (CHAIN, "The token launched first on **Base**."),
        (CHAIN, "The token first launched on Base in May 2024."),
        (CHAIN, "It went live on Base."),
        (CHAIN, "It's live on the Base network."),
        (CHAIN, "Launched first on Base."),
        (CHAIN, "The LUM token was deployed on Base, not on Optimism."),
        (CHAIN, "Lidora debuted on Base."),
        (CHAIN, "Base was where the token first launched."),
        (CHAIN, "最早在 Base 上线。"),
        (CHAIN, "该代币首先在 Base 链上发布。"),
        (CHAIN, "该代币部署在 Base 上。"),
        (RELEASE, "The bug was fixed in release `v2.3.1`."),
        (RELEASE, "It was patched in version 2.3.1."),
        (RELEASE, "Fixed in v2.3.1."),
        (RELEASE, "The bug was fixed by v2.3.1 on 4 June 2024."),
        (RELEASE, "该漏洞已在 v2.3.1 版本中修复。"),
        (LICENCE, "The router's source is published under the MIT licence."),
        (LICENCE, "The code is available under the MIT license."),
        (LICENCE, "It is open-sourced under MIT."),
        (LICENCE, "源代码以 MIT 许可证发布。"),
        (KIND, "该项目是一个**去中心化交易所**（DEX）。"),
        (KIND, "它是一家去中心化交易所。"),
    ],
)
def test_a_name_in_a_plain_sentence_is_the_answer(spec: AnswerSpec, answer: str) -> None:
    """One plain statement of one name, marked or not."""
    assert verify(spec, answer).correct is True


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        (PROJECT, "Lidora, a fork of Aavelon"),
        (PROJECT, "It was Aavelon's fork that lost the most."),
        (PROJECT, "It was Aavelon's rival that lost the most."),
        (PROJECT, "It was Aavelon's pool that lost the second most."),
        (PROJECT, "It was Aavelon's pool, or Lidora's, that lost the most."),
        (PROJECT, "It was not Aavelon's pool that lost the most."),
        (PROJECT, "It was Aavelon's pool that Lidora drained."),
        (PROJECT, "It was a competitor of Aavelon that lost the most."),
        (PROJECT, "It could be Aavelon's pool that lost the most."),
        (PROJECT, "The pool that lost the most was Aavelon's competitor."),
        (PROJECT, "Aavelon's competitor lost the most."),
        (PROJECT, "Aavelon lost the second most."),
        (PROJECT, "Aavelon lost less than Lidora."),
        (PROJECT, "Aavelon and Lidora lost the most."),
        (PROJECT, "Lidora was inspired by **Aavelon**."),
        (PROJECT, "Lidora was forked by Aavelon."),
        (PROJECT, "Lidora is built on top of **Aavelon**."),
        (PROJECT, "Lidora is built on Aavelon."),
        (PROJECT, "Lidora, formerly **Aavelon**."),
        (PROJECT, "Unlike **Aavelon**, Lidora lost the most."),
        (PROJECT, "A fork of **Aavelon**."),
        (PROJECT, "The project behind **Aavelon**."),
        (PROJECT, "Lidora lost more than **Aavelon**."),
        (PROJECT, "The funds were drained via Aavelon or Lidora."),
        (PROJECT, "The funds were drained via Aavelon V2."),
        (PROJECT, "The funds were drained via Aavelon's fork."),
        (PROJECT, "The funds were supposedly drained via **Aavelon**."),
        (PROJECT, "The pool with the largest loss was confused with Aavelon."),
        (CHAIN, "launched on Base, then Optimism"),
        (CHAIN, "The token launched on Base and Optimism."),
        (CHAIN, "The token launched on Base before Optimism."),
        (CHAIN, "The token launched on Base Sepolia."),
        (CHAIN, "The token's testnet launched on Base."),
        (CHAIN, "The token never launched on **Base**."),
        (CHAIN, "The token was expected to launch on **Base**."),
        (CHAIN, "The token launched second on Base."),
        (CHAIN, "The token launched on Optimism. It is live on Base."),
        (CHAIN, "The token moved from Base to Optimism."),
        (CHAIN, "The token launched on **Base** or **Optimism**."),
        (CHAIN, "Which token launched on Base?"),
        (CHAIN, "该代币不是在 Base 上线。"),
        (CHAIN, "该代币在 Base 和 Optimism 上线。"),
        (CHAIN, "该代币后来在 Base 上线。"),
        (CHAIN, "该代币在 Optimism 之后在 Base 上线。"),
        (CHAIN, "可能在 Base 上线。"),
        (CHAIN, "该项目的竞争对手在 Base 上线。"),
        (RELEASE, "The bug was still present in `v2.3.1`."),
        (RELEASE, "The bug was introduced in v2.3.1."),
        (RELEASE, "The bug first appeared in `v2.3.1`."),
        (RELEASE, "The bug was fixed in v2.3.1 or v2.3.2."),
        (RELEASE, "The bug was fixed in v2.3.1-rc1."),
        (RELEASE, "The bug was fixed in v2.3.1.1."),
        (RELEASE, "The bug was fixed after `v2.3.1`."),
        (RELEASE, "The fix was reverted in `v2.3.1`."),
        (RELEASE, "The bug was not fixed in v2.3.1."),
        (RELEASE, "The bug was found in v2.3.1, fixed in v2.3.2."),
        (LICENCE, "The source is published under the MIT or Apache licence."),
        (LICENCE, "The source is published under a MIT-like licence."),
        (LICENCE, "The source was previously published under the MIT licence."),
        (LICENCE, "The source is published under MIT-0."),
        (KIND, "该项目不是一个去中心化交易所（DEX）。"),
        (KIND, "该项目类似一个去中心化交易所。"),
        (KIND, "该项目是一个去中心化交易所聚合器。"),
        (KIND, "该项目是一个去中心化交易所或借贷协议。"),
    ],
)
def test_a_sentence_that_states_otherwise_is_not(spec: AnswerSpec, answer: str) -> None:
    """Denial, doubt, comparison, relation, alternatives, longer names and other names."""
    assert verify(spec, answer).correct is False


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        (CHAINS, "The bridge is live on Polygon, Base, Arbitrum and Optimism."),
        (CHAINS, "It has been deployed on Polygon, Base, Arbitrum, and Optimism."),
        (CHAINS, "The bridge launched on **Polygon**, **Base**, **Arbitrum** and **Optimism**."),
        (CHAINS, "The contract is available on Polygon, Base, Arbitrum and Optimism, not zkSync."),
        (CHAINS, "该跨链桥已上线 Arbitrum、Optimism、Base 和 Polygon。"),
        (CHAINS, "该跨链桥支持 Arbitrum、Optimism、Base 和 Polygon。"),
        (CHAINS, "该跨链桥目前已在 Arbitrum、Optimism、Base 和 Polygon 上线。"),
        (CHAINS, "Polygon, Base, Arbitrum and Optimism; not zkSync, as the docs say."),
        (RANKED, "From largest to smallest: Aavelon, Lidora and Compond."),
        (RANKED, "Ranked by volume: Aavelon, Lidora, Compond."),
        (RANKED, "In descending order: Aavelon, Lidora, Compond"),
        (RANKED, "In order of size: Aavelon > Lidora > Compond"),
        (ROUTE, "The swap was routed `USDC → WETH → LUM`."),
        (ROUTE, "It was routed through USDC, WETH and LUM."),
        (ROUTE, "The swap took the path USDC -> WETH -> LUM."),
        (ROUTE, "The swap went USDC > WETH > LUM"),
        (ROUTE, "The swap was routed from USDC to WETH to LUM."),
    ],
)
def test_a_list_in_a_plain_sentence_is_the_list(spec: AnswerSpec, answer: str) -> None:
    """What follows the opening of the sentence is listed, whatever is rejected beside it."""
    assert verify(spec, answer).correct is True


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        (CHAINS, "The bridge is live on Polygon, Base, Arbitrum, Optimism and zkSync."),
        (CHAINS, "The bridge is live on Polygon, Base and Arbitrum."),
        (CHAINS, "The bridge is live on Polygon, Base, Arbitrum or Optimism."),
        (CHAINS, "The bridge is not live on Polygon, Base, Arbitrum and Optimism."),
        (CHAINS, "The bridge might be live on Polygon, Base, Arbitrum and Optimism."),
        (CHAINS, "The bridge will be live on Polygon, Base, Arbitrum and Optimism."),
        (CHAINS, "The bridge is live on all but Polygon, Base, Arbitrum and Optimism."),
        (CHAINS, "The bridge is live on zkSync, not on Polygon, Base, Arbitrum and Optimism."),
        (CHAINS, "Besides zkSync, the bridge is live on Polygon, Base, Arbitrum and Optimism."),
        (CHAINS, "The bridge is live on Polygon, Base, Arbitrum and Optimism, as well as zkSync."),
        (CHAINS, "The bridge is live on Polygon, Base, Arbitrum and Optimism. zkSync is live too."),
        (CHAINS, "该跨链桥未上线 Arbitrum、Optimism、Base 和 Polygon。"),
        (CHAINS, "该跨链桥已上线 Arbitrum、Optimism、Base、zkSync 和 Polygon。"),
        (CHAINS, "该跨链桥已上线 Arbitrum、Optimism、Base 和 Polygon 等。"),
        (RANKED, "From smallest to largest: Aavelon, Lidora and Compond."),
        (RANKED, "In ascending order: Aavelon, Lidora, Compond"),
        (RANKED, "From largest to smallest: Aavelon, Compond and Lidora."),
        (RANKED, "From largest to smallest: Aavelon, Lidora, Compond and Curvex."),
        (ROUTE, "The swap was routed USDC → DAI → WETH → LUM."),
        (ROUTE, "The swap was routed LUM → WETH → USDC."),
        (ROUTE, "The swap was not routed USDC → WETH → LUM."),
        (ROUTE, "The swap was routed USDC → WETH → LUM → DAI."),
        (ROUTE, "The swap was routed USDC → WETH or DAI → LUM."),
        (ROUTE, "The swap could have been routed USDC → WETH → LUM."),
    ],
)
def test_a_list_with_another_element_or_a_doubt_is_not(spec: AnswerSpec, answer: str) -> None:
    """Too many, too few, another order, a denial."""
    assert verify(spec, answer).correct is False


@settings(max_examples=200)
@given(
    st.sampled_from(["Lidora", "zkSync", "v1.2", "LUM", "`DAI`", "**Curvex**"]),
    st.sampled_from(
        [
            *("The token of {0} launched on {1}", "The token launched on {1} with {0}", "{0} was launched with {1}"),
            *("It was {1}'s pool that {0} drained", "It was {0}'s pool that lost to {1}", "{1}'s pool lost to {0}"),
            *("{0} lost more in {1}", "{0} is a pool on {1}", "The bug in {0} was fixed in {1} and {0}"),
            *("The token launched on {1} by {0}", "In {0}, the token launched on {1}", "It went from {0} to {1}"),
            *("{0} took over {1}", "The {0} chain is linked to {1}", "{0} was drained by {1}'s rival"),
        ]
    ),
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
    start = time.perf_counter()
    plainly_named(text, ["Aavelon"])
    plainly_named(text[:380], ["Aavelon"])
    list(led(text))
    assert time.perf_counter() - start < 1


@settings(max_examples=100)
@given(st.text(max_size=200))
def test_what_a_list_opening_leaves_is_an_end_of_the_text(text: str) -> None:
    """Nothing is invented or moved."""
    assert all(rest in text.replace(" to ", " > ") or rest in text for rest in led(text))
    assert plainly_named(text, ["Aavelon"]) in (None, "aavelon")
