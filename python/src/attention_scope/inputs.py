"""What a model reads: a text, a conversation, or tokens that the caller has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .data import Token
from .errors import EmptyText, InvalidInput
from .spelling import is_blank, without_byte_order_mark
from .vocabulary import Vocabulary

Messages = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Input:
    """The tokens of one text without padding, and the text as it was typed, if it was."""

    tokens: list[Token]
    text: str | None
    # What else the model reads for each token, such as the segments of BERT.
    extra: dict[str, list[int]] = field(default_factory=dict)

    @property
    def ids(self) -> list[int]:
        """The numbers of the tokens."""
        return [token.id for token in self.tokens]


def read(tokenizer: Any, vocabulary: Vocabulary, given: Any, messages: Messages | None, index: int | None) -> Input:
    """The input of a model.

    Raises `EmptyText` if there is nothing to read, `InvalidInput` if it is not one text.
    """
    if (given is None) == (messages is None):
        raise InvalidInput("record() takes a text or `messages=`, one of them")
    if messages is not None:
        return _conversation(tokenizer, vocabulary, messages)
    if isinstance(given, str):
        return _text(tokenizer, vocabulary, given)
    if isinstance(given, Mapping) or hasattr(given, "input_ids"):
        return _batch(vocabulary, given, index)
    if isinstance(given, Sequence) and given and isinstance(given[0], Mapping):
        return _conversation(tokenizer, vocabulary, given)
    return _batch(vocabulary, {"input_ids": given}, index)


def _text(tokenizer: Any, vocabulary: Vocabulary, given: str) -> Input:
    text = without_byte_order_mark(given)
    if is_blank(text):
        raise EmptyText("the text is empty: nothing of it is visible")
    is_fast = bool(getattr(tokenizer, "is_fast", False))
    encoded = tokenizer(text, truncation=False, padding=False, return_offsets_mapping=is_fast)
    ids = [int(number) for number in encoded["input_ids"]]
    if not ids:
        raise EmptyText("the tokenizer makes no token of the text")
    segments = [int(number) for number in encoded.get("token_type_ids", ())]
    # The segments of one text are those that a model takes without being told.
    extra = {"token_type_ids": segments} if any(segments) else {}
    return Input(vocabulary.typed(ids, text, encoded.get("offset_mapping")), given, extra)


def target_of(tokenizer: Any, vocabulary: Vocabulary, target: str, *, is_continuation: bool) -> list[int]:
    """The numbers of a given target. A continuation is without the token that the tokenizer puts in front of a text."""
    text = without_byte_order_mark(target)
    if is_blank(text):
        raise EmptyText("the target is empty: nothing of it is visible")
    encoded = tokenizer(text, truncation=False) if is_continuation else tokenizer(text_target=text, truncation=False)
    ids = [int(number) for number in encoded["input_ids"]]
    if is_continuation and ids and not vocabulary.decode(ids[:1]):
        ids = ids[1:]
    if not ids:
        raise EmptyText("the tokenizer makes no token of the target")
    return ids


def _conversation(tokenizer: Any, vocabulary: Vocabulary, messages: Messages) -> Input:
    if not messages:
        raise EmptyText("`messages` is empty")
    if not getattr(tokenizer, "chat_template", None):
        raise InvalidInput("the tokenizer has no chat template, so it cannot write `messages` as a text")
    encoded = tokenizer.apply_chat_template(
        list(messages), add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors=None
    )
    ids = _rows(encoded["input_ids"])[0]
    last = messages[-1].get("content")
    return Input(vocabulary.tokens(ids), last if isinstance(last, str) else None)


def _batch(vocabulary: Vocabulary, encoded: Any, index: int | None) -> Input:
    if "input_ids" not in encoded:
        raise InvalidInput(
            f"the batch has {', '.join(map(str, encoded))} and no `input_ids`: only models of text can be recorded"
        )
    rows = _rows(encoded["input_ids"])
    if index is None and len(rows) != 1:
        raise InvalidInput(f"the batch has {len(rows)} texts: choose one with `index=`")
    place = 0 if index is None else index
    if not -len(rows) <= place < len(rows):
        raise InvalidInput(f"the batch has {len(rows)} texts, so `index={place}` is not there")
    ids = rows[place]
    mask = _rows(encoded["attention_mask"])[place] if "attention_mask" in encoded else [1] * len(ids)
    if len(mask) != len(ids):
        raise InvalidInput(f"`attention_mask` has {len(mask)} places for {len(ids)} tokens")
    # Padding is left out on whichever side it is; a gap within a text would change the model's positions.
    kept = [at for at, number in enumerate(mask) if number]
    if not kept:
        raise EmptyText("the batch has no token that is not padding")
    if kept[-1] - kept[0] + 1 != len(kept):
        raise InvalidInput(
            "`attention_mask` leaves out tokens within the text, and only padding at its ends can be left out"
        )
    extra = {}
    if "token_type_ids" in encoded:
        segments = _rows(encoded["token_type_ids"])[place]
        extra = {"token_type_ids": [segments[at] for at in kept]} if any(segments) else {}
    return Input(vocabulary.tokens(ids[at] for at in kept), None, extra)


def _rows(given: Any) -> list[list[int]]:
    """Rows of numbers, from tensors of any library or lists, of one text or of several."""
    if hasattr(given, "detach"):
        given = given.detach().cpu().numpy()
    try:
        # Rows of different lengths have no array.
        if isinstance(given, Sequence) and given and isinstance(given[0], Sequence):
            return [[int(number) for number in row] for row in given]
        array = np.asarray(given)
        if not array.size and array.ndim:
            raise EmptyText("the input has no tokens")
        if array.dtype.kind not in "iu" or array.ndim not in (1, 2):
            raise ValueError(f"an array of {array.dtype} with {array.ndim} axes")
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the input is neither a text nor the numbers of tokens: {error}") from error
    return [[int(number) for number in row] for row in np.atleast_2d(array)]
