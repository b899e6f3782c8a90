"""One plain sentence that names an answer: what may stand before and after the name, by a closed grammar.

No question is at hand, so nothing is understood here: a sentence counts only where its words are plain ones, in lower
case, in an order that states one thing of one name, and no word among them denies, doubts, compares or relates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from caia_replay.scoring.answer import clean, folded
from caia_replay.scoring.verifiers.naming import own_words, uncited

_LONGEST = 400
"""Characters of a sentence that is still read as plain."""

_OTHERWISE = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nobody|nothing|without|hardly|barely|whether|if|unless|might|(?-i:may)|"
    r"maybe|perhaps|"
    r"possibl[ye]|probabl[ye]|likely|could|would|should|will|can|must|either|or|unclear|unknown|unsure|"
    r"uncertain|doubt\w*|guess\w*|"
    r"assum\w+|presum\w+|seem\w*|appears|apparently|reportedly|thought|expected|planned|plans?|intend\w*|due|"
    r"set|claim\w*|alleg\w*|"
    r"suppos\w*|believ\w*|rumou?r\w*|sa(?:y|ys|id)|told|suspect\w*|accus\w+|blam\w+|clear(?:ed|s)|denie[ds]|"
    r"den(?:y|ies)|false\w*|wrong\w*|"
    r"incorrect\w*|mistaken\w*|fak\w+|confus\w+|except\w*|excluding|instead|rather|but|however|although|though|"
    r"yet|previous\w*|"
    r"former\w*|old\w*|earlier|later|then|next|last|before|after|until|till|since|originally|initially|"
    r"eventually|almost|nearly|other|others|"
    r"another|also|too|both|and|plus|besides|beside|unlike|like|than|compar\w+|versus|vs|against|similar\w*|"
    r"same|second\w*|third|"
    r"fourth|fifth|runner|least|less|fewe\w+|smallest|lowest|rest|remain\w*|some|part|half|minority|still|"
    r"alternative\w*|rival\w*|"
    r"compet\w+|opponent\w*|fork\w*|clon\w+|cop(?:y|ies|ied|ying)|imitat\w+|mimic\w*|inspir\w+|influenc\w+|"
    r"deriv\w+|based|model\w*|"
    r"top|spin\w*|offshoot\w*|predecessor\w*|successor\w*|succeed\w*|preced\w+|follow\w*|replac\w+|renam\w+|"
    r"rebrand\w*|merg\w+|"
    r"overt\w+|surpass\w*|beat\w*|outperform\w*|outrank\w*|outdone|test\w*|sister|parent|partner\w*|affiliat\w+|"
    r"associat\w+|"
    r"relat\w+|link\w+|ally|allies|(?:was|were|been)\s+reverted|ban(?:s|ned)|paus\w+|cancel\w*|halt\w*|"
    r"suspend\w*|withdr\w+|skipp?\w*|avoid\w*|block(?:ed|s)|"
    r"frozen|rolled|broke\w*|stopped|shut|ended|closed|retired|everywhere|anywhere|nowhere|everyone|remov\w+|"
    r"delist\w*|discontinu\w+|deprecat\w+|reject\w*|refus\w+|miss\w+|"
    r"absent|fail\w*|lack\w*|unfixed|persist\w*|addition\w*|include\w*|including|ruled|wound|would-be|so-called|"
    r"disguis\w+|"
    r"impersonat\w+|pretend\w*|pos(?:ed|ing|es)|near|outside|beyond|away|off|out)\b|n't|[?:;/|=<>()\[\]{}+&]",
    re.IGNORECASE,
)
_FAULTY = re.compile(
    r"\b(?:bug|flaw|vulnerability|issue|hole|defect|error)\b.*\b(?:introduced|found|discovered|appears|appeared|"
    r"present|seen|noticed|exists|reported|live|"
    r"launched|shipped|landed|started|began|happened|occurred|released|deployed|is|was)\s+(?:first\s+)?(?:in|on|with|by)\b",
    re.IGNORECASE,
)
"""A release that has a fault is another one than that which mends it."""
_MENDED = re.compile(r"\b(?:fix|patch|resol|mend|repair|correct)", re.IGNORECASE)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
)
_WORD = rf"(?:[a-z][a-z'-]*|{_MONTH}|UTC|\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th|%)?)"
_THING = (
    r"(?:lending\s+pool|liquidity\s+pool|hot\s+wallet|pool|vault|token|contract|router|bridge|market|treasury|"
    r"protocol|team|"
    r"network|block\s?chain|chain|mainnet|exchange|stablecoin|licen[cs]e|release|version|upgrade|standard|"
    r"rollup|project|"
    r"platform|wallet|deployment|attack|exploit|client|wallet|app)"
)
_PART = r"(?:token|router|contract|vault|pool|source|code|treasury|governance|bug|exploit|hack|team|app|wallet|bridge)"
_WHEN = (
    rf"(?:\s+(?:first|for\s+the\s+first\s+time|at\s+launch|already|today|now)|\s+(?:in|on|at)\s+(?:(?:block|"
    rf"early|late|mid|the|of|spring|summer|"
    rf"autumn|winter|{_MONTH}|\d[\d,.:-]*\d|\d(?:st|nd|rd|th)?|\d\d(?:st|nd|rd|th)|UTC|Q[1-4])(?:,\s*|\s+|"
    rf"(?=[.!\s]*\Z))){{1,6}}){{0,2}}"
)
_END = r"[\s.!\"']*\Z"
_LEADING = (
    rf"(?:(?i:in|on|at|as\s+of|according\s+to|based\s+on|per|from)(?:\s+{_WORD}){{1,8}},\s+|(?i:yes|indeed|"
    rf"overall|so|thus|therefore),\s+)?"
)
_SUBJECT = (
    rf"(?:(?i:it|they|this|that|he|she)\s+|(?:(?i:the|its|their|this|that|these|those|our|all|most\s+of\s+the|"
    rf"an?)|(?i:the)\s+[A-Z][\w.]*(?:'s)?"
    rf"(?=\s+{_PART}))(?:\s+{_WORD}){{1,8}}?\s+)?"
)
_ADVERB = (
    r"(?:(?:first|only|currently|officially|publicly|mainly|mostly|primarily|entirely|exclusively|directly|"
    r"already|now|actually|"
    r"all|natively|indeed)\s+)"
)
_DONE = (
    r"(?:[a-z]{2,14}(?:ed|ewn|own|awn|uilt|ent|ept|eld|ade|ut|one|orn|aid|old|ought|aught|ound|ritten|aken|iven|"
    r"tolen|un)|live|available|active|"
    r"native|open|open-sourced|hosted|lost|won|led|put|up)\s+"
)
_VERB = (
    rf"(?:(?i:is|was|are|were|has\s+been|have\s+been|had\s+been|has|have|had|gone|"
    rf"went)\s+{_ADVERB}{{0,2}}(?:{_DONE})?{_ADVERB}{{0,2}}|"
    r"(?i:launched|deployed|released|fixed|patched|published|issued|listed|debuted|started|began|runs|ran|lives|"
    r"sits|resides|happened|occurred|"
    rf"took\s+place|appeared|reverted|made\s+(?:its|their)\s+debut|shipped|landed|opened|trades|traded|operates|"
    rf"operated|acts|works|functions|serves|settles|settled|passed|moved|flowed|travell?ed|routed)\s+{_ADVERB}{{0,2}}"
    r"(?:live\s+)?)"
)
_PLACE = (
    r"(?:(?i:on|in|under|by|via|with|through|using|at|across)|(?<=\bdeployed\s)to|(?<=\bsent\s)to|"
    r"(?<=\bwent\s)to|(?<=\bpaid\s)to|(?<=\bbridged\s)to|(?<=\btransferred\s)to|"
    r"(?<=\boperates\s)as|(?<=\bfunctions\s)as|(?<=\bclassified\s)as|(?<=\bacts\s)as|(?<=\bworks\s)as|"
    r"(?<=\bserves\s)as)\s+(?:(?:the|an?)\s+)?"
    r"(?:(?:release|version|tag|network|chain|protocol|block\s?chain|exchange|project|platform|standard)\s+)?"
)
_HEAD = re.compile(
    rf"{_LEADING}(?:{_SUBJECT}{_VERB}|(?i:it's|they're|"
    rf"that's)\s+{_ADVERB}{{0,2}}{_DONE}{_ADVERB}{{0,2}}){_PLACE}"
)
_NAMED_HEAD = re.compile(
    rf"(?!(?:Ethereum|Optimism|Arbitrum|Polygon|Solana|Avalanche|Tron|"
    rf"Bitcoin)\b)[A-Z][\w.]*(?:'s\s+{_PART})?\s+(?:(?:was|is|were|has\s+been)\s+)?{_ADVERB}{{0,2}}"
    rf"(?:launched|debuted|deployed|released|listed|issued|published|licen[cs]ed|live|"
    rf"went\s+live)\s+{_ADVERB}{{0,2}}(?:on|under)\s+(?:the\s+)?"
)
_USING = re.compile(
    rf"{_LEADING}{_SUBJECT}(?:uses?|used|carries|carried|bears|employed|exploited|chose|targeted|drained|"
    rf"attacked)\s+(?:(?:the|an?)\s+)?"
)
_USING_TAIL = re.compile(
    rf"(?:\s+(?:bug|flaw|vulnerability|{_THING}))?(?:\s+(?:to|in|against|for)(?:\s+{_WORD}){{1,8}})?{_END}"
)
_TAIL = re.compile(rf"(?:(?:'s)?\s+{_THING})?{_WHEN}{_END}")
_SOURCED = re.compile(
    r"\s*,?\s*(?:according\s+to|as\s+(?:stated|shown|listed|confirmed|seen)\s+(?:in|on|by)|per)"
    r"\s+(?:the\s+)?[^.;:()\n]{2,80}" + _END
)
_TURNED = re.compile(r"\b(?:but|and|or|not|though|although|while|however|no)\b|n't", re.IGNORECASE)
_CLEFT = re.compile(r"(?i:it|this|that)(?:'s|\s+is|\s+was)\s+(?:actually\s+|indeed\s+)?(?:the\s+)?")
_CLEFT_TAIL = re.compile(rf"(?:'s)?(?:\s+{_THING})?\s+(?:that|which|who|where)(?:\s+{_WORD}){{1,14}}{_END}")
_OWNING = re.compile(
    rf"{_LEADING}(?:(?i:the|its|this|that)(?:\s+{_WORD}){{1,12}}?\s+(?:is|was|are|were)|(?i:it|they)\s+(?:is|"
    rf"was|are|were))\s+(?:the\s+)?"
)
_OWNING_TAIL = re.compile(rf"'s?(?:\s+{_THING})?{_WHEN}{_END}")
_FIRST_TAIL = re.compile(
    rf"(?:'s\s+{_THING}|\s+{_THING})?\s+(?:(?:lost|won)(?!\s+(?:to|against)\b)|suffered|gained|paid|issued|"
    rf"hosts?|hosted|handled|processed|fixed|fixes|"
    r"patched|patches|resolved|resolves|published|launched|deployed|built|led|leads|governs|covers|came\s+first|"
    r"ranked\s+first|ranks\s+first|"
    r"audited|funded|(?:contains?|has|ships?|shipped|brought|brings|carries|contained)\s+the\s+(?:fix|patch)|"
    r"(?:had|has|made|saw|held|holds|posted|recorded|earned|received|took|takes|ran|"
    r"runs)\s+(?:by\s+far\s+)?the\s+(?:most|largest|biggest|highest|greatest|"
    r"first|longest|deepest|earliest)|(?:is|was)\s+where|(?:is|was)\s+the\s+one\s+(?:that|which|who))"
    rf"(?:\s+(?!(?:that|which|who)\b){_WORD}){{0,12}}{_END}"
)
_FIRST = re.compile(r"(?:(?i:the)\s+)?(?:(?i:release|version|project|protocol)\s+)?")
_MARKED = re.compile(
    r"\*\*([^*\n]+)\*\*|(?<!\w)__([^_\n]+)__(?!\w)|`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|「([^」\n]+)」"
)
_LOOSE = re.compile(rf"(?i:the|it|they|this|that|its|their|in|on|at|an?|these|those|our|all)(?:\s+{_WORD}){{0,24}}\s+")
_LOOSE_LAST = re.compile(
    r"\b(?:on|in|under|by|via|with|through|using|at|as|uses|used|chose|called|named|is|was|are|were|hit|drained|"
    r"exploited|attacked|targeted)"
    r"(?:\s+(?:the|an?))?(?:\s+(?:release|version|network|chain|protocol|exchange|project|platform))?\s+\Z"
)
_LOOSE_TAIL = re.compile(rf"(?:\s+{_THING})?(?:\s+(?!(?:that|which|who|of)\b){_WORD}){{0,14}}{_END}")

_HAN = r"[\u4e00-\u9fff]"
_OTHERWISE_HAN = re.compile(
    "[不非未没无否假或和与及也另除而但若如疑据传说称曾原旧仿抄受后随再像还误错将拟比]|(?<!目)前|可能|类似|分叉|复刻|竞争|对手|启发|基于|第二|第三|其次|其他|"
    "以太坊|币安|波场|比特币|波卡|雪崩|甚至|计划|预计|测试|转|迁|似乎|大概|(?<![首最率])先在"
)
_HAN_PLACE = re.compile("在|由(?!器)|通过|经|采用|使用|以(?!太)|于")
_HAN_HEAD = re.compile(
    rf"{_HAN}{{0,25}}(?:在|于|通过|经由|经|使用|采用|由|以|登陆|上线|是|为)(?:了)?(?P<one>一个|一种|一款|一家|"
    rf"一条|一项|一类|一次)?(?:版本|网络)?\s*"
)
_HAN_TAIL = re.compile(
    r"\s*(?P<short>\([A-Z]{2,6}\))?\s*(?:链|主网|网络|公链|版本|协议|许可证|许可|平台)?(?:上|中|里|内|"
    r"下)?(?:的(?:资金池|池子?|代币|合约|金库|路由器?|流动性池))?(?:得到|获得|被)?(?:首先|最早|率先|首次|正式)?"
    r"(?:上线|发布|部署|发行|推出|启动|运行|修复|修补|开源|公开|授权|完成|进行|审计|兑换|领投|发起|创建|"
    r"开发)?(?:的|了)?[\s。.!]*\Z"
)
_HAN_LISTING = re.compile(
    rf"{_HAN}{{0,25}}?(?:[已均都现]|目前|依次|分别|同时){{0,3}}(?:上线|部署在|部署于|部署到|支持|包括|包含|登陆|"
    rf"经过|通过|途经|持有|审计方为|在|于|为|是)(?:了)?\s*[::]?\s*"
)
_HAN_LISTED = re.compile(r"\s*(?:链|网络)?(?:上|中)?(?:上线|部署|运行|发布|可用)(?:了)?[。.]?\Z")
_ORDERED = re.compile(
    r"(?i:(?:ranked|ordered|sorted|listed|in\s+(?:descending\s+)?order)(?:\s+(?:by|of|"
    r"from)(?:\s+[a-z-]+){1,5})?|from\s+[a-z-]+\s+to\s+[a-z-]+(?:\s+by(?:\s+[a-z-]+){1,3})?|"
    r"(?:largest|biggest|highest|oldest|earliest|first)\s+(?:first|to\s+[a-z-]+))\s*[:,]\s*(?:(?:they|"
    r"these)\s+are\s+|it\s+is\s+)?"
)
_ROUTED = re.compile(
    rf"{_LEADING}{_SUBJECT}(?:(?:is|was|were|are|has\s+been)\s+(?:then\s+)?(?:routed|sent|moved|swapped|bridged)|"
    rf"went|goes|moved|flowed|passed|follows|followed|took|takes)\s+"
    r"(?:the\s+(?:path|route)\s+)?(?:through\s+|via\s+|along\s+|from\s+)?"
)


def plainly_named(answer: str, values: Sequence[str]) -> str | None:
    """The one of ``values``, folded, that the answer states in one plain sentence; None where it may say otherwise."""
    text = own_words(uncited(answer))
    if len(text) > _LONGEST or "\n" in text or re.search(r"[.!。](?=\s|[\u4e00-\u9fff])", text.rstrip(" .!。")):
        return None
    names = [clean(value) for value in values]
    spans = list(mentions(text, names))
    if len(spans) != 1:
        return None
    start, end = spans[0]
    head, tail = text[:start].replace('"', ""), text[end:].replace('"', "")
    accepted = folded(text[start:end])
    if _fits_han(head, tail, text[start:end]) or _fits(head, tail):
        return accepted
    marks = [next(filter(None, found.groups())) for found in _MARKED.finditer(answer)]
    strong = len(marks) == 1 and folded(clean(marks[0])) == accepted
    return accepted if strong and _fits_marked(head, tail) else None


def led(text: str) -> Iterator[str]:
    """What follows the opening of a plain sentence that goes on to a list of names."""
    for pattern in (_ORDERED, _ROUTED, _HEAD):
        found = pattern.match(text)
        if found and (pattern is _ORDERED or not _OTHERWISE.search(found[0])):
            yield text[found.end() :]
            if pattern is _ROUTED:
                yield text[found.end() :].replace(" to ", " > ")
    if (found := _HAN_LISTING.match(text)) and not _OTHERWISE_HAN.search(found[0]):
        rest = text[found.end() :]
        yield rest
        if tail := _HAN_LISTED.search(rest):
            yield rest[: tail.start()]


def mentions(text: str, names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where a name stands as a whole; the longest of those that begin at one place."""
    forms = []
    for name in sorted(set(names), key=lambda one: (-len(one), one)):
        words = [re.escape(word) for word in re.split(r"[\s-]+", name) if word]
        before = r"(?<![a-zA-Z0-9_.$@/#-])\$?" if name[:1].isascii() else ""
        after = r"(?![a-zA-Z0-9_@/-]|\.[a-zA-Z0-9])" if name[-1:].isascii() else ""
        forms.append(before + r"[\s-]?".join(words) + after)
    for found in re.finditer("|".join(forms), text, re.IGNORECASE):
        yield found.span()


def _fits(head: str, tail: str) -> bool:
    if _OTHERWISE.search(head) or (_FAULTY.search(head) and not _MENDED.search(head)):
        return False
    sourced = _SOURCED.fullmatch(tail) is not None and not _TURNED.search(tail)
    if not sourced and _OTHERWISE.search(tail):
        return False
    if _HEAD.fullmatch(head) or _NAMED_HEAD.fullmatch(head):
        return sourced or _TAIL.fullmatch(tail) is not None
    if _CLEFT.fullmatch(head) and _CLEFT_TAIL.fullmatch(tail):
        return True
    if _OWNING.fullmatch(head) and _OWNING_TAIL.fullmatch(tail):
        return True
    if _USING.fullmatch(head) and _USING_TAIL.fullmatch(tail):
        return True
    return _FIRST.fullmatch(head) is not None and _FIRST_TAIL.fullmatch(tail) is not None


def _fits_marked(head: str, tail: str) -> bool:
    if any(map(_OTHERWISE.search, (head, tail))) or (_FAULTY.search(head) and not _MENDED.search(head)):
        return False
    return bool(_LOOSE.fullmatch(head) and _LOOSE_LAST.search(head) and _LOOSE_TAIL.fullmatch(tail))


def _fits_han(head: str, tail: str, name: str) -> bool:
    before, after = _HAN_HEAD.fullmatch(head), _HAN_TAIL.fullmatch(tail)
    if before is None or after is None or _OTHERWISE_HAN.search(head) or len(_HAN_PLACE.findall(head)) > 1:
        return False
    return after["short"] is None or (before["one"] is not None and re.search(_HAN, name) is not None)
