"""Cleaning of one string: characters that no reader wants, Unicode form, hyphens at line ends, white space.

Here lives what is done to a string, with a count of each repair; what is done to a whole document (order, offsets,
pages) lives in `text.cleaning`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Set

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Zero width space, joiners, direction marks and overrides, word joiner, invisible operators, byte order mark.
_ZERO_WIDTH = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u034f\u180e]")
_PRIVATE_USE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
# Tab, line feed, form feed, vertical tab and carriage return are white space; U+0085, U+2028 and U+2029 too.
# U+FFFE waits for `_join_words`; U+FFFD stays: it shows that something was lost before us.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufff9-\ufffc\uffff]")
_HIGH_NONCHARACTER = re.compile("[" + "".join(chr(p << 16 | e) for p in range(1, 17) for e in (0xFFFE, 0xFFFF)) + "]")
_LINE_END = re.compile("\r\n?|[\n\x0b\x0c\x85\u2028\u2029]")

_LETTER = r"[^\W\d_]"
# Runs are bounded where a pattern begins with one: a megabyte of blanks must not cost a square.
# What pdfium leaves where a line ended in a hyphen.
_HIDDEN_HYPHEN = re.compile(r"[^\S\n]{0,8}\ufffe\s*")
_SOFT_HYPHENS = re.compile("\u00ad{2,}")
_SOFT_HYPHEN_BREAK = re.compile(rf"\u00ad(?P<gap>\s+)(?P<next>{_LETTER})")
_LINE_HYPHEN = re.compile(r"(?<=\w)[-\u2010\u2011\u00ac][^\S\n]*\n\s*(?=(?P<next>[^\W_]\w{0,63}))")
_WORD_BEFORE = re.compile(r"[\w\-\u2010\u2011]{1,64}\Z")
_INNER_HYPHEN = re.compile(r"[-\u2010\u2011]")
_HYPHENATED = re.compile(rf"(?<!{_LETTER}){_LETTER}{{1,40}}-{_LETTER}{{1,40}}")
# Deep indentation says no more than this; without a bound a window could be all blanks.
_LONG_GAP = re.compile(r"[^\S\n]{17,}")
_SPACES = re.compile(r"\s+")
# After a hyphen at a line end these go on with a shortened compound: "Vor-\nund Nachname".
_AFTER_OPEN_HYPHEN = frozenset("und oder bzw sowie als wie noch bis u and or to".split())

#: Kinds of repair that are counted.
REPAIRS = (
    "surrogate",
    "control",
    "zero_width",
    "private_use",
    "ligature",
    "composed",
    "soft_hyphen",
    "line_hyphen",
)

NO_WORDS: frozenset[str] = frozenset()


def clean_string(text: str, *, lined: bool, hyphenated: Set[str] = NO_WORDS) -> tuple[str, Counter[str]]:
    """Clean one block's text and count the repairs.

    With `lined` (tables, code) line breaks stay and only blanks at line ends and blank lines go; without it all white
    space, line breaks too, becomes one blank and words divided at a line end are joined. `hyphenated` holds, in lower
    case, words that the document writes with a hyphen elsewhere ("e-mail"); these keep it at a line end.

    The result is NFC, has no control, private-use, surrogate, zero-width or soft-hyphen characters, and cleaning it
    again changes nothing.
    """
    repairs: Counter[str] = Counter()
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(), repairs
    text = _drop_characters(text, repairs)
    text = _LINE_END.sub("\n", text)
    if not lined:
        text = _join_words(text, repairs, hyphenated)
    text = _drop_soft_hyphens(text, repairs)
    composed = unicodedata.normalize("NFC", text)
    if composed != text:
        repairs["composed"] += max(1, len(text) - len(composed))
    return (_tidy_lines(composed) if lined else _SPACES.sub(" ", composed).strip()), repairs


def _drop_characters(text: str, repairs: Counter[str]) -> str:
    if _SURROGATE.search(text):
        # Pairs are characters outside the basic plane; what is left over is nothing.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
        repairs["surrogate"] += len(text) - len(whole)
        text = whole
    text = _counted(_CONTROL, "", text, repairs, "control")
    text = _counted(_HIGH_NONCHARACTER, "", text, repairs, "control")
    text = _counted(_ZERO_WIDTH, "", text, repairs, "zero_width")
    text = _counted(_PRIVATE_USE, "", text, repairs, "private_use")
    text, count = _LIGATURE.subn(lambda match: LIGATURES[match[0]], text)
    if count:
        repairs["ligature"] += count
    return text


def _counted(pattern: re.Pattern[str], put: str, text: str, repairs: Counter[str], kind: str) -> str:
    text, count = pattern.subn(put, text)
    if count:
        repairs[kind] += count
    return text


def _join_words(text: str, repairs: Counter[str], hyphenated: Set[str]) -> str:
    text = _HIDDEN_HYPHEN.sub("-\n", text)
    if "\u00ad" in text:

        def join_soft(match: re.Match[str]) -> str:
            repairs["soft_hyphen"] += 1
            # Some programs write every hyphen at a line end as a soft one, that of "E-Mail-Adresse" too.
            hard = match["next"].isupper() and "\n" in match["gap"]
            return ("-\n" if hard else "") + match["next"]

        text = _SOFT_HYPHEN_BREAK.sub(join_soft, _SOFT_HYPHENS.sub("\u00ad", text))
    if "\n" not in text:
        return text

    def join(match: re.Match[str]) -> str:
        before = _WORD_BEFORE.search(text, max(0, match.start() - 64), match.start())
        last = _INNER_HYPHEN.split(before[0])[-1] if before else ""
        following = match["next"]
        if following in _AFTER_OPEN_HYPHEN:
            return "- "
        repairs["line_hyphen"] += 1
        return "-" if not last or keeps_hyphen(last, following, hyphenated) else ""

    return _LINE_HYPHEN.sub(join, text)


def hyphenated_words(texts: Iterable[str]) -> frozenset[str]:
    """Words with a hyphen inside a line, in lower case: what `clean_string` takes as `hyphenated`."""
    return frozenset(match[0].lower() for text in texts for match in _HYPHENATED.finditer(text))


def divides_words(text: str) -> bool:
    """Whether a line of `text` ends in a hyphen."""
    return bool(_LINE_HYPHEN.search(text)) or "\ufffe" in text or "\u00ad" in text


def keeps_hyphen(last: str, following: str, hyphenated: Set[str] = NO_WORDS) -> bool:
    """Whether the hyphen between `last` and `following` belongs to the word, not only to the line end between them.

    `last` is the part of the word before the hyphen, without what stands before an earlier hyphen.

    >>> keeps_hyphen("Ent", "wicklung")
    False
    >>> keeps_hyphen("Mail", "Adresse")
    True
    >>> keeps_hyphen("20", "jährig")
    True
    """
    if f"{last}-{following}".lower() in hyphenated or last[-1].isdigit() or following[0].isdigit():
        return True
    if following[0].islower():
        # "x-beliebig" and "IT-gestützt" keep it (no German syllable of one letter is parted), "Entwick-lung" does not.
        return len(last) == 1 or last.isupper()
    # "KOMMUNI-KATION" is one word in capitals; "NATO-Gipfel" is two.
    return not (len(last) > 2 and len(following) > 2 and last.isupper() and following.isupper())


def _drop_soft_hyphens(text: str, repairs: Counter[str]) -> str:
    if "\u00ad" in text:
        repairs["soft_hyphen"] += text.count("\u00ad")
        text = text.replace("\u00ad", "")
    return text.replace("\ufffe", "-")


def _tidy_lines(text: str) -> str:
    lines = (_LONG_GAP.sub(" " * 16, line.expandtabs(4).replace("\u00a0", " ")).rstrip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line).strip()
