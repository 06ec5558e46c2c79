"""The logit lens (nostalgebraist 2020): the residual stream of every layer, read as the model reads its last."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .data import Json
from .errors import InvalidInput
from .vocabulary import Vocabulary

WORDS = 5
# The names of the norm at the end of a stack, in the stack's own module.
_LAST_NORMS = ("norm", "ln_f", "final_layer_norm", "final_layernorm", "final_norm", "layer_norm", "norm_f")
_TOLERANCE = 1e-3


def log_softmax(rows: np.ndarray) -> np.ndarray:
    """The natural logarithms of the probabilities of each row of logits."""
    shifted = rows - rows.max(-1, keepdims=True)
    normed: np.ndarray = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return normed


def top(row: np.ndarray, count: int) -> list[int]:
    """The places of the largest values, the largest first; of equal ones the first places."""
    count = min(count, len(row))
    least = np.partition(row, len(row) - count)[len(row) - count]
    places = np.flatnonzero(row >= least)
    return [int(place) for place in places[np.argsort(-row[places], kind="stable")][:count]]


def read(
    model: Any,
    inputs: dict[str, Any],
    states: tuple[Any, ...],
    logits: np.ndarray,
    appended: list[int],
    vocabulary: Vocabulary,
) -> Json:
    """Reads the states of one text, first that of the embedding, then of each layer, by the model's own end: its last
    norm and whatever makes logits of it. `logits` are those of the pass, `[positions, vocabulary]`; `appended` are the
    tokens that decoding appended behind the last positions.

    Raises `InvalidInput` if the end of the model cannot be told from its layers.
    """
    stack = model.get_decoder() if model.config.is_encoder_decoder else model.base_model
    if stack is model:
        raise _unreadable(model)
    norm = next((getattr(stack, name) for name in _LAST_NORMS if hasattr(stack, name)), None)
    answers = logits.argmax(-1)
    if appended:
        answers[len(answers) - len(appended) :] = appended
    layers = []
    with _ending_with(stack) as end:
        model(**inputs)
        last = end.saved.last_hidden_state
        for place, state in enumerate(states):
            # Most models keep the last state behind the norm.
            is_normed = place == len(states) - 1 and bool((state == last).all())
            end.state = state if is_normed or norm is None else norm(state)
            rows = model(**inputs).logits[0].float().cpu().numpy()
            if place == len(states) - 1 and not np.allclose(rows, logits, atol=_TOLERANCE, rtol=_TOLERANCE):
                raise _unreadable(model)
            layers.append(
                [_reading(row, int(answer), vocabulary) for row, answer in zip(log_softmax(rows), answers, strict=True)]
            )
    return {"answers": [vocabulary.token(number).to_json() for number in answers], "layers": layers}


def _unreadable(model: Any) -> InvalidInput:
    return InvalidInput(f"the layers of {type(model).__name__} cannot be read as logits; leave out `lens=True`")


class _End:
    """The output of a stack: that of its first call, later with another state."""

    saved: Any = None
    state: Any = None


@contextmanager
def _ending_with(stack: Any) -> Iterator[_End]:
    """Lets a stack return its saved output with the state that is set, so that the rest of the model reads that."""
    end, original = _End(), stack.forward

    def forward(*arguments: Any, **named: Any) -> Any:
        if end.saved is None:
            end.saved = original(*arguments, **named)
            return end.saved
        output = copy.copy(end.saved)
        output.last_hidden_state = end.state
        return output

    stack.forward = forward
    try:
        yield end
    finally:
        del stack.forward


def _reading(row: np.ndarray, answer: int, vocabulary: Vocabulary) -> Json:
    words = [
        {"token": vocabulary.token(number).to_json(), "probability": float(np.exp(row[number]))}
        for number in top(row, WORDS)
    ]
    own = row[answer]
    return {"words": words, "rank": int((row > own).sum()) + 1, "probability": float(np.exp(own))}
