"""Submitted text as verifiers read it: cleaned, its rejected parts and lead-ins known.

The rules every verifier shares, stated once:

- Only the submitted field is read, at most ``LONGEST`` characters of it.
- Typography never matters: full-width forms, markdown marks, quotation marks and exotic spaces are folded.
- A value said to be *not* the answer ("not 43", "rather than 43", "43 is wrong") is no reading, and never becomes
  one. A value only reported ("some blogs say 43, but it is 42") is none where the answer contrasts it with another.
- **Hedges**: several readings in one answer must all be the same answer. Two different ones are wrong,
  whichever of them is right, because the submitter did not choose.
- An answer that refuses ("I don't know", "N/A", "I cannot determine this") is a refusal, whatever it names besides,
  unless the refusing words are about something else ("42. I could not verify it on Etherscan", "42 (date: N/A)").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from caia_replay.scoring.refusal import fruitless, withholds

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
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{0,200}?(?<=[^\s~])~~|<(s|del|strike)>[^<\n]{0,200}</\1>", re.IGNORECASE)
"""What is struck out is not said."""
_VULGAR = {"½": ".5", "¼": ".25", "¾": ".75", "⅕": ".2", "⅖": ".4", "⅗": ".6", "⅘": ".8"}
_VULGAR |= {"⅛": ".125", "⅜": ".375", "⅝": ".625", "⅞": ".875", "⅒": ".1"}
_FRACTION = re.compile(rf"(?:(?<![\d.,])(\d{{1,3}}(?:,\d{{3}})+|\d{{1,9}}) ?)?([{''.join(_VULGAR)}])")
_UNEVEN = re.compile("(?<=[0-9])(?=[⅓⅔⅙⅚⅐⅑])")
_TIMES = re.compile(r"(?<=\d)\s?\*\s?(?=10\s?(?:\^|\*\*|[⁰¹²³⁴-⁹⁻]))|(?<=[\d)]) \* (?=[\d(])")
_POWER_OF_TEN = re.compile(r"(?<=×10)\*\*(?=[-+]?\d{1,3}(?![\d*]))")
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
    r"cannot\s+be|can't\s+be|(?:corrected|amended|revised)\s+from)"
    rf"(?:\s+{_FILLER})*|不是|并非|而非|并不是|不等于|不应是)"
    r"[\s:\"'(]*[$€£¥Ξ#~≈]?\s*$",
    re.IGNORECASE,
)
_FAULTY = (
    r"(?:wrong|incorrect|false|fake|mistaken|outdated|unrelated|inaccurate|misleading|bogus|spam\w*|scam\w*|decoy|"
    r"phish\w*|imposter|impostor|lies?|a myth|typo|spoof\w*|look-?alike|honeypot|fabricated|untrue)"
)
_CLAIMED = r"(?:claim|number|figure|value|statement|answer|report|one|result|count|total|rumou?r|lie)s?"
_REFUTED = re.compile(
    r"[\s\"')\]]*(?:,?\s*(?:as\s+)?(?:claimed|stated|reported|given|listed|quoted|circulating|shown|promoted)\s+"
    r"(?:by|on|in)\s+[\w .'-]{1,40}?,?)?(?:\s*\([^()]{0,60}\))?(?:\s*,?\s*(?:which|that|this|it|and))?\s*"
    r"(?:(?:is|was|are|were|looks|appears|seems)(?:\s+(?:to\s+be|clearly|simply|also|an?|the|completely|definitely|just"
    rf"|known|likely|probably))*\s+(?:{_FAULTY}\b|not\s+(?:the|correct|right|it|true|valid|what)\b"
    r"|(?:incorrectly|wrongly|mistakenly|falsely)\b)"
    r"|(?:isn't|wasn't|aren't)\s+(?:the|correct|right|it|true|valid|what)\b"
    r"|(?:[(,:-]|(?:is|was)\b)\s?(?:(?:only|just|merely)\s)?(?:the|an?|this|that|one)\s(?:[\w'-]+\s){0,5}?"
    rf"(?:[\w'-]+,?\s(?:which|that)\s(?:is|was|are|were)\s(?:\w+ly\s)?{_FAULTY}"
    rf"|{_FAULTY}\s{_CLAIMED}(?:\s(?:of|by|from|in|on)\s[\w' -]{{1,40}})?)\s?(?:[).;!\n]|$)"
    rf"|\((?:that|this)\s{_CLAIMED}\s(?:is|was)\s{_FAULTY}\b"
    r"|(?:[(,]\s?)?(?:(?:is|was)\s)?(?:(?:only|just)\s)?\(?(?:what|which|that|as)\s(?:[\w'-]+\s){0,4}?"
    r"(?:falsely|wrongly|incorrectly|mistakenly)\s\w++(?!\s(?:is|was|are|to|as|at|that)\b)(?![^.;)\n]{0,20}\d)"
    rf"|[(,]\s?according to\s[\w' -]{{1,40}},?\s(?:which|who)\s(?:is|was|are)\s{_FAULTY}\s?(?:[).;!\n]|$)"
    r"|[.,;]?\s?(?:[(]|→|->|=>|-)?\s?(?:corrected|correction|amended|erratum)(?:\s(?:to|value|answer|is))?\s?[:=]?\s?"
    r"(?=[$€£Ξ]?\d)"
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


def clean(text: str) -> str:
    """``text`` with its typography folded: one spelling of dashes, quotes, widths, spaces and powers."""
    said = _POWER_OF_TEN.sub("^", _TIMES.sub("×", _STRUCK.sub(_gap, text)))
    said = _UNEVEN.sub(" @ ", _FRACTION.sub(_decimal, said))
    plain_math = _LATEX_NUMBER.sub(r"\1", said.replace("{,}", ",")).replace("+/-", "±")
    plain_math = _LATEX_BOX.sub(r"\1", _LATEX_BOX.sub(r"\1", plain_math))
    powers = _SUPERSCRIPTS.sub(lambda found: "^" + found[0].translate(_SUPERSCRIPT), plain_math)
    folded = unicodedata.normalize("NFKC", powers).translate(_FOLDED)
    folded = _BETWEEN_DIGITS.sub(" @ ", _RAISED.sub(r"^\1", _THOUGHT.sub(" ", folded)))
    plain = _MARKDOWN.sub("", _HTML.sub(lambda tag: "\n" if tag[0][:3].lower() == "<br" else "", folded))
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return _LABEL.sub("", "\n".join(line for line in lines if line))


def _gap(found: re.Match[str]) -> str:
    """Nothing; two digits it stood between do not come together."""
    return " @ " if found.string[found.end() : found.end() + 1].isdigit() else " "


def _decimal(found: re.Match[str]) -> str:
    """ "1½" in digits; behind a number it does not belong to it is one of its own."""
    apart = " @ " if not found[1] and found.string[max(0, found.start() - 1) : found.start()].isdigit() else ""
    return f"{apart}{found[1] or '0'}{_VULGAR[found[2]]}"


def is_refusal(text: str) -> bool:
    """Whether the answer refuses: it says that it has none, or only that it looked for one in vain."""
    plain = clean(text)
    if withholds(plain, folded(plain)):
        return True
    in_vain, goes_on = fruitless(plain)
    return in_vain and (not goes_on or _reported(plain, len(plain)))


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
