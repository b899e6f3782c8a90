"""Submitted text as verifiers read it: cleaned, its rejected parts and lead-ins known.

The rules every verifier shares, stated once:

- Only the submitted field is read, at most ``LONGEST`` characters of it.
- Typography never matters: full-width forms, markdown marks, quotation marks and exotic spaces are folded.
- A value said to be *not* the answer ("not 43", "rather than 43", "43 is wrong") is no reading, and never becomes
  one. A value only reported ("some blogs say 43, but it is 42") is none where the answer contrasts it with another.
- **Hedges**: several readings in one answer must all be the same answer. Two different ones are wrong,
  whichever of them is right, because the submitter did not choose.
- An answer that opens by saying that there is none is a refusal, unless it goes on to answer ("..., but ...").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

LONGEST = 1000
"""Characters. A longer submission is an essay, not an answer; it is not read."""

_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPTS = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_FOLDED = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict.fromkeys("‘’ʼ", "'"),
        **dict.fromkeys("“”「」『』《》", '"'),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_LATEX_NUMBER = re.compile(r"(?<![\w$])\$(?=[.,\\% ]*\d)([\d.,\\% ]+)\$(?![\w$])")
_LATEX_BOX = re.compile(r"\\(?:boxed|text|mathrm|textbf)\{([^{}]*)\}")
_THOUGHT = re.compile(r"<think>.{0,1000}?</think>", re.IGNORECASE | re.DOTALL)
_RAISED = re.compile(r"<sup>\s?(\d{1,3})\s?</sup>", re.IGNORECASE)
_BETWEEN_DIGITS = re.compile(r"(?<=\d)(?:\*{1,3}|`{1,3}|</?[a-z][^<>\n]{0,60}>)(?=\d)", re.IGNORECASE)
"""Marks that keep two numbers apart: without them 4**2 would be 42."""
_HTML = re.compile(r"</?(?:b|i|u|em|strong|code|p|span|br|pre)\s?/?>", re.IGNORECASE)
_MARKDOWN = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,3}|_{1,3}(?!\w)|^[^\S\n]*#+[^\S\n]+", re.MULTILINE)
_LABEL = re.compile(
    r"^\s*(?:(?:my|the|so the|thus the|therefore,? the)\s+)?(?:(?:final|correct|short)\s+)?(?:answer|答案|最终答案)"
    r"\s*(?:is\b|[:=]|为|是)\s*",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:but|however|although|though|despite|while|whereas|contrary|contradict\w*|actually|in fact|yet|wrong\w*|"
    r"incorrect\w*|mistaken\w*|false\w*|inaccurate\w*|outdated)\b|但|然而|虽然|尽管|其实|实际|错误|不正确",
    re.IGNORECASE,
)
_FILLER = (
    r"(?:the|a|an|at|on|in|by|to|of|about|exactly|roughly|around|equal\s+to|was|is|it|be|this|that|[\w-]{1,30}'s|claimed|"
    r"alleged|reported|purported|supposed|fake|false|wrong|incorrect|address|contract|value|figure|number|claim|hash|"
    r"transaction|tx|date|time|url|link|site|page)"
)
_REJECTING = re.compile(
    r"(?:\b(?:not|never|isn't|wasn't|aren't|nor|neither|rather\s+than|instead\s+of|excluding|except|ignor(?:e|ing)|"
    r"disregard(?:ing)?|contrary\s+to|as\s+opposed\s+to|unlike|other\s+than|anything\s+but|ruled\s+out|don't\s+use|"
    r"cannot\s+be|can't\s+be)"
    rf"(?:\s+{_FILLER})*|不是|并非|而非|并不是|不等于|不应是)"
    r"[\s:\"'(]*[$€£¥Ξ#~≈]?\s*$",
    re.IGNORECASE,
)
_FAULTY = (
    r"(?:wrong|incorrect|false|fake|mistaken|outdated|unrelated|inaccurate|misleading|bogus|spam\w*|scam\w*|decoy|"
    r"phish\w*|imposter|impostor|lies?|a myth|typo|spoof\w*|look-?alike|honeypot|fabricated|untrue)"
)
_REFUTED = re.compile(
    r"[\s\"')\]]*(?:,?\s*(?:as\s+)?(?:claimed|stated|reported|given|listed|quoted|circulating|shown|promoted)\s+"
    r"(?:by|on|in)\s+[\w .'-]{1,40}?,?)?(?:\s*\([^()]{0,60}\))?(?:\s*,?\s*(?:which|that|this|it|and))?\s*"
    r"(?:(?:is|was|are|were|looks|appears|seems)(?:\s+(?:to\s+be|clearly|simply|also|an?|the|completely|definitely|just"
    rf"|known|likely|probably))*\s+(?:{_FAULTY}\b|not\s+(?:the|correct|right|it|true|valid|what)\b"
    r"|(?:incorrectly|wrongly|mistakenly|falsely)\b)"
    r"|(?:isn't|wasn't|aren't)\s+(?:the|correct|right|it|true|valid|what)\b"
    rf"|[(,:-]\s*(?:(?:which|that)\s+is\s+)?(?:an?\s+)?{_FAULTY}\b"
    r"|[(,]?\s*(?:是|为)?(?:错误|错的|假的|不对|不正确|不是(?:正确|答案|对的|真的)|有误|骗局|钓鱼|虚假))",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:blogs?|articles?|posts?|tweets?|threads?|forums?|reddit|sites?|sources?|pages?|websites?|results?|snippets?|"
    r"rumou?rs?|people|some|others|influencers?|newsletters?|seo|media|outlets?|guides?|wiki)\b[^.;\n]{0,50}?"
    r"\b(?:sa(?:y|ys|id|ying)|claim\w*|state[sd]?|list\w*|report\w*|gives?|gave|show\w*|cit(?:e|es|ed|ing)|quot\w+|"
    r"mention\w*|suggest\w*|promot\w+|advertis\w+|point\w*|put|puts)\b([^.;\n,]{0,40})$"
    r"|(?:博客|文章|帖子|网站|网页|论坛|推文|有人|传言|搜索结果)[^。;\n]{0,20}(?:说|称|声称|写|显示|给出)([^。;\n,]{0,20})$"
    r"|\b(?:the|a|an)\s+(?:(?:blog|article|post|forum|site|page)'s|claimed|alleged|purported|supposed|rumou?red)\s+"
    r"(?:\w+\s+){0,2}(\W{0,3})$",
    re.IGNORECASE,
)
_TURN = re.compile(r"\b(?:but|however|while|whereas|though|although|actually|yet)\b|但|而|其实|实际", re.IGNORECASE)
_CHAINED = re.compile(r"[\s\"')\]]*,?\s*(?:or|nor|and|/|或|和|与)[\s\"'(\[]*(?:the\s+)?[$€£¥Ξ#~≈]?\s*", re.IGNORECASE)
_COPULA = re.compile(
    r"\b(?:is|are|was|were|be|been|called|named|es|est|ist)\s+(?:(?:(?!(?:an?|the|one|its?)\b)\w+\s+)?(?!(?:an?|followed|replaced|succeeded|preceded|"
    r"overtaken|rivall?ed|inspired|influenced|forked|copied|cloned|surpassed|beaten|outperformed|imitated)\b)\w+\s+by\s+|(?:deployed|launched|hosted|issued)\s+on\s+|"
    r"(?:\w+\s+)?(?:identified|listed|labell?ed|verified)\s+as\s+|\w+ed\s+(?:via|through|using)\s+)?"
    r"|\b(?:it|that|this|answer|here|name|project)'s\s+|:\s*|是|为"
    r"|\A(?:based\s+on|according\s+to|per|looking\s+at|from|given|根据|基于)[^,;:.\n]{1,100},\s*"
    r"|(?P<verb>\b(?:through|via|used|uses|using|holds?|held|contains?|includes?|supports?|accepts?|consists?\s+of|"
    r"comprises?)\s+)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,.;:=(\n]+\s*")
_OPENER = re.compile(
    r"\W{0,9}(?:the|this|that|these|those|its?|it's|they|he|she|i|we|based|according|from|in|on|at|as|per|after|by|given|looking|"
    r"using|so|therefore|thus|hence|among|of|my|our|here|to|for|with|since|because|yes|result|etherscan|data|all|most|"
    r"both|there)\b|\W{0,9}(?:根据|基于|按照|在|从|该|这|此|因此|所以|经|查|通过|我)",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\W{0,9}(?:whose|which|who|where|while|whereas|when)\b", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:not|no|never|nor|neither|whether|if|unless|might|may(?!\s+\d)|maybe|perhaps|possibly|probably|likely|could|would|should|"
    r"either|or|unclear|unknown|unsure|uncertain|doubt\w*|guess\w*|claim\w*|alleg\w*|suppos\w*|(?<!\bi )believ\w*|"
    r"(?<!\bi )(?<!\bwe )thinks?|skipped|avoided|omitted|excluded|"
    r"false\w*|wrong\w*|incorrect\w*|fake\w*|rumou?r\w*|except|instead|rather|previous\w*|former\w*|other|others|unlike|like|than)\b|n't|不|否|假|或",
    re.IGNORECASE,
)
_LEAD_INS = 8
"""The most lead-ins looked behind: more would be an essay, and keeps reading linear."""

_REFUSALS = frozenset(
    (
        *("unknown", "na", "none", "null", "notavailable", "notfound", "nodata", "noanswer", "cannotdetermine"),
        *("unabletodetermine", "cannotbedetermined", "idontknow", "idonotknow", "insufficientdata"),
        *("insufficientinformation", "未知", "无法确定", "不知道", "无法回答"),
    )
)
_REFUSING = re.compile(
    r"\W*(?:(?:unfortunately|sorry|apologies|i'm sorry|i am sorry)\W+(?:but\s+)?)?(?:based on [^,\n]{1,80},\s*)?"
    r"(?:(?:i|we)\s+)?(?:(?:was|am|were|are|have been|'m)\s+)?"
    r"(?:cannot|can't|can not|could not|couldn't|unable to|not able to|failed to|don't have|do not have|don't know|"
    r"do not know|did not find|didn't find|have no|there (?:is|was|are) (?:no|not enough|insufficient|not sufficient) "
    r"(?:\w+ )?(?:data|information|answer|evidence|results?|records?)|no (?:\w+ )?(?:data|information|answer|results?)|"
    r"not enough|insufficient|not found|not available|无法|未能|不清楚|不确定|抱歉|没有找到|找不到|未找到|没有足够)"
    r"|[^.;\n]{0,200}?\b(?:cannot|can't|could not|couldn't) be (?:\w+ )?(?:determined|found|identified|"
    r"verified|confirmed|computed|calculated|retrieved|established|answered)\b",
    re.IGNORECASE,
)
_IDENTIFIED = re.compile(r"(?<=[a-zA-Z])(?:[a-zA-Z0-9_$]|\()")
_CALLED = re.compile(r"[a-zA-Z]\(")
"""Names of code are no words: ``InsufficientOutput(uint256)`` and ``NotFound()`` refuse nothing."""
_ANSWERING = re.compile(
    r"\b(?:but|however|though|although|nevertheless|still|yet|best (?:guess|estimate))\b|但|不过"
    r"|(?:do|does|did)(?:n't| not) (?:exist|happen|occur)|\bno such\b|\bnever\b|premise|前提|不存在",
    re.IGNORECASE,
)


def clean(text: str) -> str:
    """``text`` with its typography folded: one spelling of dashes, quotes, widths, spaces and powers."""
    plain_math = _LATEX_NUMBER.sub(r"\1", text.replace("{,}", ",")).replace("+/-", "±")
    plain_math = _LATEX_BOX.sub(r"\1", _LATEX_BOX.sub(r"\1", plain_math))
    powers = _SUPERSCRIPTS.sub(lambda found: "^" + found[0].translate(_SUPERSCRIPT), plain_math)
    folded = unicodedata.normalize("NFKC", powers).translate(_FOLDED)
    folded = _BETWEEN_DIGITS.sub(" @ ", _RAISED.sub(r"^\1", _THOUGHT.sub(" ", folded)))
    plain = _MARKDOWN.sub("", _HTML.sub(lambda tag: "\n" if tag[0][:3].lower() == "<br" else "", folded))
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return _LABEL.sub("", "\n".join(line for line in lines if line))


def is_refusal(text: str) -> bool:
    """Whether the answer only says that there is none: nobody could act on it."""
    plain = clean(text)
    if folded(plain) in _REFUSALS and not _CALLED.search(plain):
        return True
    refusing = _REFUSING.match(plain)
    if refusing is None or _IDENTIFIED.match(plain, refusing.end()):
        return False
    return not _ANSWERING.search(plain, refusing.end()) or _reported(plain, len(plain))


_WITHDRAWN = re.compile(
    r"^\W*(?:rejected|wrong|false|incorrect|not the answer)\s?:"
    r"|\?\W{0,3}(?:no|nope|(?:definitely|absolutely|certainly|probably|of course) not|不是?|不对|错)\W{0,5}$"
    r"|^\W*\S{1,40}(?: \S{1,12})? (?:was|is) (?:rejected|wrong|false|incorrect|not (?:it|true|right|correct))\W{0,5}$"
    r"|\b(?:far from|nowhere near|hardly|twice|thrice|double|triple|half(?: of)?|(?:two|three) times) (?:the )?[$€£]?\d"
    r"|\d\S{0,3}\s?(?:万|亿|美元|元|个)*的(?:两|二|三|一)?(?:倍|半)",
    re.IGNORECASE,
)


def is_withdrawn(text: str) -> bool:
    """Whether an answer only says what its value is not: "42? No.", "rejected: 42", "nowhere near 42", "twice 42"."""
    return _WITHDRAWN.search(clean(text)) is not None


def rejected(text: str, start: int) -> bool:
    """Whether the value at ``start`` is one the text says, before it, is *not* the answer."""
    return _REJECTING.search(text[max(0, start - 60) : start]) is not None


def standing(text: str, mentions: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
    """Which of the values at ``mentions`` (spans of ``text``, in order) the answer stands by.

    Not those it rejects before or after naming them, nor those chained to a rejected one ("not A or B"), nor,
    where it contrasts, those it only reports from somewhere else while others are its own.
    """
    refused: list[bool] = []
    for at, (start, end) in enumerate(mentions):
        chained = at > 0 and refused[-1] and _CHAINED.fullmatch(text, mentions[at - 1][1], start) is not None
        refused.append(chained or rejected(text, start) or _REFUTED.match(text, end, end + 160) is not None)
    own = [not (out or _reported(text, start)) for out, (start, _) in zip(refused, mentions)]
    if any(own) and _CONTRAST.search(text):
        return tuple(own)
    return tuple(not out for out in refused)


def _reported(text: str, start: int) -> bool:
    found = _REPORTED.search(text[max(0, start - 110) : start])
    return found is not None and not _TURN.search("".join(gap or "" for gap in found.groups()))


def agreed(readings: Iterable[str]) -> tuple[str | None, str]:
    """The one reading all of them are, and an empty reason; or None and why there is none.

    None readings at all and two different readings both give no reading (the hedge rule).
    """
    different = sorted(set(readings))
    if not different:
        return None, "no readable answer"
    if len(different) > 1:
        return None, f"hedged between {len(different)} answers: {', '.join(different[:3])}"
    return different[0], ""


def phrases(text: str) -> tuple[str, ...]:
    """The whole text and what follows each plain lead-in ("The project is ..."), longest first.

    A lead-in that doubts, negates, compares or names alternatives is none: what follows it is not the answer.
    Nor is one behind a clause that could be an answer of its own ("Railgun, whose router is ...").
    """
    doubt = _DOUBT.search(text)
    sure = len(text) if doubt is None else doubt.start()
    starts: list[int] = []
    clause = 0
    cuts = _CLAUSE.finditer(text)
    cut = next(cuts, None)
    for found in _COPULA.finditer(text):
        if found.end() > sure or len(starts) == _LEAD_INS:
            break
        while cut is not None and cut.end() <= found.start():
            if not _OPENER.match(text, clause):
                return (text, *(text[start:] for start in starts))
            clause, cut = cut.end(), next(cuts, None)
        # "LayerZero uses X" answers LayerZero; "The wallet used X" answers X
        plain = not found["verb"] or (not starts and _OPENER.match(text, clause) is not None)
        if plain and not _RELATIVE.match(text, clause) and found.end() < len(text):
            starts.append(found.end())
    return (text, *(text[start:] for start in starts))


_TELLING = re.compile(r"(?<!\w)(-)(?=\d)|(?<=\d)(\.)(?=\d)|(?<=[\w+])(\+)")
_KEPT = {"-": "\0", ".": "\1", "+": "\2"}


def folded(text: str) -> str:
    """Letters and digits of every script, caseless; punctuation and spaces gone.

    Three marks tell values apart and stay: the sign of "-1", the point of "1.5", the pluses of "C++".
    """
    kept = _TELLING.sub(lambda found: _KEPT[found[0]], text).casefold()
    marks = ("Mn", "Mc")  # vowel signs are letters to many scripts
    letters = "".join(c for c in kept if c.isalnum() or c in "\0\1\2" or unicodedata.category(c) in marks)
    return letters.translate({ord(kept): mark for mark, kept in _KEPT.items()})
