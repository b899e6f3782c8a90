import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.search.language import is_stop_word, language_of, language_tag, language_terms, telling_parts


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_thirty_percent_of_chinese_letters_make_a_chinese_text(chinese, latin):
    """The share is of letters, so that digits and signs have no say."""
    text = "价" * chinese + " 123 $% " + "a" * latin
    assert language_of(text) == ("zh" if chinese and chinese * 10 >= 3 * (chinese + latin) else "en")


@pytest.mark.parametrize(
    ("typed", "tag"),
    [("ZH", "zh"), ("zh_CN", "zh-cn"), (" en ", "en"), ("", ""), ("中文", ""), ("e!", ""), ("english", "")],
)
def test_a_language_tag_is_read_or_is_none(typed, tag):
    """Tags compare in lower case; what is no tag is empty."""
    assert language_tag(typed) == tag


def test_a_document_is_in_its_own_language_or_in_that_of_its_letters():
    """A told tag wins and brings the language in it; untold or unreadable, the script decides."""
    assert language_terms("zh-TW", "plain words") == ["zh", "zh-tw"]
    assert language_terms("", "plain words") == language_terms("?", "plain words") == ["en"]
    assert language_terms("", "以太坊质押 ETH") == ["zh"]


def test_stop_words_are_known_with_their_punctuation():
    """What, what's and "what?" are one; a word about a subject is none."""
    assert is_stop_word("What") and is_stop_word("what's") and is_stop_word("what’s") and is_stop_word('"the"?')
    assert not is_stop_word("supply") and not is_stop_word("whatever")


def test_a_chinese_question_is_parted_at_its_particles():
    """Question words and particles go, single characters between them too; alone they leave nothing."""
    assert telling_parts("代币的最大供应量是多少") == ["代币", "最大供应量"]
    assert telling_parts("请问团队持有多少") == ["团队持有"]
    assert telling_parts("量是多少最大") == ["最大"]
    assert telling_parts("是什么") == telling_parts("的") == []
