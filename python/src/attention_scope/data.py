"""The plain data of a trace, and its JSON: the types of the Rust crate `attention-trace` under the same names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Json = dict[str, Any]
Kind = Literal["encoder_self", "decoder_self", "cross"]
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")

# Of each kind: the stack of its queries and that of its keys, and its sub-layer.
STACKS: Mapping[str, tuple[str, str, str]] = {
    "encoder_self": ("encoder", "encoder", "self"),
    "decoder_self": ("decoder", "decoder", "self"),
    "cross": ("decoder", "encoder", "cross"),
}


def pattern_name(kind: str, layer: int) -> str:
    """The name of the array of attention weights: `decoder.0.cross.pattern`."""
    stack, _, sublayer = STACKS[kind]
    return f"{stack}.{layer}.{sublayer}.pattern"


class Head(NamedTuple):
    """A head of a model; layer and head count from 0."""

    kind: Kind
    layer: int
    head: int


@dataclass(frozen=True)
class Token:
    """A token as the tokenizer cut it. In `text`, `▁` is a space, `⏎` a line break, `<0xE4>` a byte."""

    id: int
    text: str
    unknown: bool = False

    def to_json(self) -> Json:
        """The JSON of the trace format."""
        return {"id": self.id, "text": self.text} | ({"unknown": True} if self.unknown else {})

    @classmethod
    def from_json(cls, json: Json) -> Token:
        """Reads the JSON of the trace format."""
        return cls(int(json["id"]), str(json["text"]), bool(json.get("unknown", False)))


@dataclass(frozen=True)
class Pieces:
    """A tokenizer's facts about the tokens of a text."""

    special: tuple[int, ...] = ()
    words: str | Json = "start"
    mask: Token | None = None

    def to_json(self) -> Json:
        """The JSON of the trace format, defaults left out."""
        json: Json = {}
        if self.special:
            json["special"] = list(self.special)
        if self.words != "start":
            json["words"] = self.words
        if self.mask is not None:
            json["mask"] = self.mask.to_json()
        return json


@dataclass(frozen=True)
class Candidate:
    """A token that the model considered. Logarithms are natural."""

    token: Token
    logit: float
    log_probability: float

    @property
    def probability(self) -> float:
        """The probability, from 0 to 1."""
        return math.exp(self.log_probability)

    def to_json(self) -> Json:
        """The JSON of the trace format."""
        return {"token": self.token.to_json(), "logit": self.logit, "log_probability": self.log_probability}

    @classmethod
    def from_json(cls, json: Json) -> Candidate:
        """Reads the JSON of the trace format."""
        return cls(Token.from_json(json["token"]), float(json["logit"]), float(json["log_probability"]))


@dataclass(frozen=True)
class Step:
    """One step of decoding: `row` is the row of the decoder's maps that predicted `chosen`."""

    row: int
    chosen: Candidate
    forced: bool
    candidates: tuple[Candidate, ...]

    def to_json(self) -> Json:
        """The JSON of the trace format."""
        candidates = [candidate.to_json() for candidate in self.candidates]
        return {"row": self.row, "chosen": self.chosen.to_json(), "forced": self.forced, "candidates": candidates}

    @classmethod
    def from_json(cls, json: Json) -> Step:
        """Reads the JSON of the trace format."""
        candidates = tuple(map(Candidate.from_json, json["candidates"]))
        return cls(int(json["row"]), Candidate.from_json(json["chosen"]), bool(json["forced"]), candidates)


@dataclass(frozen=True)
class Hypothesis:
    """A sequence that decoding found; `score` is what it was ranked by."""

    tokens: tuple[Token, ...]
    text: str
    log_probability: float
    score: float

    def to_json(self) -> Json:
        """The JSON of the trace format."""
        return {
            "tokens": [token.to_json() for token in self.tokens],
            "text": self.text,
            "log_probability": self.log_probability,
            "score": self.score,
        }

    @classmethod
    def from_json(cls, json: Json) -> Hypothesis:
        """Reads the JSON of the trace format."""
        tokens = tuple(map(Token.from_json, json["tokens"]))
        return cls(tokens, str(json["text"]), float(json["log_probability"]), float(json["score"]))


@dataclass(frozen=True)
class Decoding:
    """How the target was found: the search, the sequences, best first, and the steps of the first."""

    search: Json
    hypotheses: tuple[Hypothesis, ...]
    steps: tuple[Step, ...]

    def to_json(self) -> Json:
        """The JSON of the trace format."""
        return {
            "search": self.search,
            "hypotheses": [hypothesis.to_json() for hypothesis in self.hypotheses],
            "steps": [step.to_json() for step in self.steps],
        }

    @classmethod
    def from_json(cls, json: Json) -> Decoding:
        """Reads the JSON of the trace format."""
        hypotheses = tuple(map(Hypothesis.from_json, json["hypotheses"]))
        return cls(dict(json["search"]), hypotheses, tuple(map(Step.from_json, json["steps"])))


@dataclass(frozen=True)
class Guess:
    """The prediction for one masked word, at the place of its token in the source."""

    place: int
    candidates: tuple[Candidate, ...]

    def to_json(self) -> Json:
        """The JSON of the trace format."""
        return {"place": self.place, "candidates": [candidate.to_json() for candidate in self.candidates]}

    @classmethod
    def from_json(cls, json: Json) -> Guess:
        """Reads the JSON of the trace format."""
        return cls(int(json["place"]), tuple(map(Candidate.from_json, json["candidates"])))
