"""A tokenizer of `transformers` as traces describe it: the text of each token, special tokens, marks of words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from .data import Pieces, Token
from .spelling import readable, with_marks

# The tokens of a masked word in published models, BERT's and RoBERTa's.
_MASKS = ("[MASK]", "<mask>")
_USUAL_UNKNOWN = ("<unk>", "[UNK]")


class Vocabulary:
    """The facts of a tokenizer. They come from its `tokenizer.json` where it has one."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        backend = getattr(tokenizer, "backend_tokenizer", None)
        description: dict[str, Any] = {}
        if backend is not None and hasattr(backend, "to_str"):
            description = json.loads(backend.to_str())
        added = description.get("added_tokens") or []
        self._added = {token["id"] for token in added}
        model = description.get("model") or {}
        self._special = {token["id"] for token in added if token.get("special")}
        if not description:
            self._special = set(getattr(tokenizer, "all_special_ids", ()))
        parts = [description.get(name) for name in ("normalizer", "pre_tokenizer", "decoder")]
        self._is_byte_level = any(part["type"] == "ByteLevel" for whole in parts for part in _parts(whole))
        self._words = _mark_of_words(model)
        self._unknown = self._unknown_id(model)

    def _unknown_id(self, model: dict[str, Any]) -> int | None:
        named = model.get("unk_token")
        if isinstance(named, str):
            return self._id(named)
        if isinstance(model.get("unk_id"), int):
            return int(model["unk_id"])
        own = getattr(self._tokenizer, "unk_token_id", None)
        if own is not None:
            return int(own)
        return next((number for number in map(self._id, _USUAL_UNKNOWN) if number is not None), None)

    def _id(self, piece: str) -> int | None:
        number = self._tokenizer.get_vocab().get(piece)
        return None if number is None else int(number)

    def token(self, number: int) -> Token:
        """The token of that number; a row of the embedding table without a piece is shown as `<408>`."""
        number = int(number)
        # An index beyond the vocabulary raises in some tokenizers, and gives nothing in others.
        try:
            piece = self._tokenizer.convert_ids_to_tokens(number)
        except (IndexError, KeyError, OverflowError, ValueError):
            piece = None
        if piece is None:
            return Token(number, f"<{number}>", False)
        is_bytes = self._is_byte_level and number not in self._added
        text = (readable(piece) if is_bytes else None) or piece
        return Token(number, text, number == self._unknown)

    def tokens(self, numbers: Iterable[int]) -> list[Token]:
        """The tokens of these numbers."""
        return [self.token(number) for number in numbers]

    def typed(self, numbers: Sequence[int], text: str, offsets: Sequence[tuple[int, int]] | None) -> list[Token]:
        """The tokens of a text, unknown ones named after the characters that they stand for; `offsets` are their
        stretches of the text."""
        tokens = self.tokens(numbers)
        if not any(token.unknown for token in tokens):
            return tokens
        if offsets is None:
            return self._named_by_pieces(tokens, text)
        starts = sorted({start for start, _ in offsets} | {len(text)})
        for place, (token, (start, end)) in enumerate(zip(tokens, offsets, strict=True)):
            if not token.unknown or start == end:
                continue
            following = next((other for other in starts if other >= end), len(text))
            stretch = text[start : with_marks(text, end, following)].strip()
            tokens[place] = Token(token.id, stretch or "▁", True)
        return tokens

    def _named_by_pieces(self, tokens: list[Token], text: str) -> list[Token]:
        """Names unknown tokens after their pieces, which tokenizers without offsets give as they stand in the text."""
        pieces = self._tokenizer.tokenize(text)
        numbers, own = [token.id for token in tokens], self._tokenizer.convert_tokens_to_ids(pieces)
        # Special tokens stand before and behind the pieces.
        starts = (at for at in range(len(numbers) - len(own) + 1) if numbers[at : at + len(own)] == own)
        for place, piece in enumerate(pieces, next(starts, len(numbers))):
            if place < len(tokens) and tokens[place].unknown:
                tokens[place] = Token(tokens[place].id, piece.strip("▁ ") or "▁", True)
        return tokens

    def pieces(self, tokens: Iterable[Token]) -> Pieces:
        """The tokenizer's facts about these tokens."""
        special = {token.id for token in tokens if token.id in self._special and token.id != self._unknown}
        return Pieces(tuple(sorted(special)), self._words, self.mask())

    def mask(self) -> Token | None:
        """The token of a masked word, of a tokenizer that has one."""
        own = getattr(self._tokenizer, "mask_token_id", None)
        found = [own] if own is not None else [number for number in map(self._id, _MASKS) if number is not None]
        return self.token(found[0]) if found else None

    def decode(self, numbers: Sequence[int]) -> str:
        """The text of the tokens, special ones left out."""
        return str(self._tokenizer.decode(list(numbers), skip_special_tokens=True, clean_up_tokenization_spaces=False))


def _parts(part: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The parts of a normalizer, a pre-tokenizer or a decoder: itself, or the members of a sequence."""
    if part is None:
        return []
    inner = [
        member for name in ("normalizers", "pretokenizers", "processors", "decoders") for member in part.get(name) or []
    ]
    return [found for member in inner for found in _parts(member)] if inner else [part]


def _mark_of_words(model: dict[str, Any]) -> str | dict[str, str]:
    if model.get("continuing_subword_prefix"):
        return {"continuation": model["continuing_subword_prefix"]}
    if model.get("end_of_word_suffix"):
        return {"end": model["end_of_word_suffix"]}
    return "start"
