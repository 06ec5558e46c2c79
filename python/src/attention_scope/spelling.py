"""The text of tokens as traces spell it: `▁` for a space, `⏎` for a line break, `<0xE4>` for a byte that is no whole
character or cannot be seen."""

from __future__ import annotations

import re
import unicodedata

SPACE = "▁"
LINE_BREAK = "⏎"
BYTE_ORDER_MARK = "\ufeff"

# Characters that only change how others are displayed or joined, and the empty cell of Braille. The list is that of
# `attention_trace::text`, which decides for the page.
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def is_blank(text: str) -> bool:
    """True if nothing of the text is visible."""
    return all(c.isspace() or unicodedata.category(c) == "Cc" or _INVISIBLE.match(c) for c in text)


def without_byte_order_mark(text: str) -> str:
    """The text without a byte order mark in front."""
    return text.removeprefix(BYTE_ORDER_MARK)


def _byte_of_letter() -> dict[str, int]:
    """GPT-2's alphabet: a byte that is a visible character of Latin-1 is that character, the others are numbered from
    U+0100."""
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {chr(byte): byte for byte in visible}
    rest = (byte for byte in range(256) if byte not in set(visible))
    return letters | {chr(0x100 + place): byte for place, byte in enumerate(rest)}


_BYTES = _byte_of_letter()


def readable(piece: str) -> str | None:
    """The readable form of a piece in GPT-2's alphabet of bytes; `None` if it has other characters."""
    if not all(letter in _BYTES for letter in piece):
        return None
    return spelled(bytes(_BYTES[letter] for letter in piece))


def spelled(data: bytes) -> str:
    """Bytes as they are shown in the text of a token."""
    shown = []
    # Each byte that belongs to no character becomes one lone surrogate.
    for character in data.decode("utf-8", "surrogateescape"):
        if character == " ":
            shown.append(SPACE)
        elif character == "\n":
            shown.append(LINE_BREAK)
        elif "\udc80" <= character <= "\udcff":
            shown.append(f"<0x{ord(character) - 0xDC00:02X}>")
        elif unicodedata.category(character) == "Cc":
            shown.extend(f"<0x{byte:02X}>" for byte in character.encode())
        else:
            shown.append(character)
    return "".join(shown)


def with_marks(text: str, end: int, following: int) -> int:
    """The end of a stretch of the text together with the combining marks behind it; `following` is where the next
    token starts."""
    while end < following and unicodedata.category(text[end]).startswith("M"):
        end += 1
    return end
