"""The record of one pass of a model: tokens, attention weights, decoding."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import container, replay
from .data import KINDS, STACKS, Decoding, Guess, Head, Json, Kind, Token, pattern_name
from .errors import InvalidTrace

if TYPE_CHECKING:
    from .replay import Replay
    from .widget import TraceWidget


class Trace:
    """The record of one pass. `record` makes one, `load` reads one; layers, heads, rows and steps count from 0.

    `entries` are the JSON entries of the file's metadata, `arrays` its arrays by name (`decoder.0.cross.pattern`,
    float32), as `docs/trace-format.md` of the repository describes them.
    """

    def __init__(
        self, entries: Mapping[str, Any], arrays: Mapping[str, np.ndarray], *, name: str = "the trace"
    ) -> None:
        container.check(entries, arrays, name)
        self._entries = dict(entries)
        self._arrays = dict(arrays)
        # What is read lazily below is read once here, so that a broken entry is refused where it comes from.
        try:
            self._decoding = Decoding.from_json(entries["decoding"]) if "decoding" in entries else None
            self._guesses = tuple(map(Guess.from_json, entries.get("guesses", ())))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidTrace(f"{name}: the entry `decoding` or `guesses` lacks or misspells {error}") from error

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Reads a trace: a `.safetensors` file of `attn trace`, the page or this package, or a replay (`.html`).

        Raises `InvalidTrace` if it is none, and `NewerTrace` if its version is newer than this package.
        """
        path = Path(path)
        data = path.read_bytes()
        if path.suffix.lower() in (".html", ".htm"):
            data = replay.data_of(data, path.name)
        return cls.from_bytes(data, name=path.name)

    @classmethod
    def from_bytes(cls, data: bytes, *, name: str = "the trace") -> Trace:
        """Reads the bytes of a `.safetensors` file; `name` stands in errors."""
        return cls(*container.read(data, name), name=name)

    def to_bytes(self) -> bytes:
        """The bytes of the `.safetensors` file."""
        return container.write(self._entries, self._arrays)

    def save(self, path: str | Path, *, title: str | None = None, **options: Any) -> Path:
        """Writes a `.safetensors` file, or one HTML file that shows the trace by itself, by the name's ending. The options
        are those of the page: `language`, `theme`, `caption`, `selection`."""
        path = Path(path)
        match path.suffix.lower():
            case ".safetensors":
                path.write_bytes(self.to_bytes())
            case ".html" | ".htm":
                path.write_text(replay.document(self, title=title, **options), encoding="utf-8")
            case ending:
                raise ValueError(f"{path.name} ends in {ending or 'nothing'!r}, and a trace is .safetensors or .html")
        return path

    @property
    def entries(self) -> Mapping[str, Any]:
        """The JSON entries of the file's metadata: `trace`, `decoding`, `guesses`, `edits`, `lens`, `origin`."""
        return self._entries

    @property
    def arrays(self) -> Mapping[str, np.ndarray]:
        """The arrays by name, float32."""
        return self._arrays

    @property
    def spec(self) -> Json:
        """The description of the model."""
        spec: Json = self._entries["trace"]["spec"]
        return spec

    @property
    def source(self) -> list[Token]:
        """The tokens that the encoder reads; empty for a decoder-only model."""
        return [Token.from_json(token) for token in self._entries["trace"]["source"]]

    @property
    def target(self) -> list[Token]:
        """The tokens that the decoder reads, start token included; empty without a decoder."""
        return [Token.from_json(token) for token in self._entries["trace"]["target"]]

    @property
    def tokens(self) -> list[Token]:
        """The tokens of the stack that writes, or of the only one: the rows of its self-attention."""
        return self.target or self.source

    @property
    def decoding(self) -> Decoding | None:
        """How the target was found; `None` if nothing was decoded."""
        return self._decoding

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """The predictions for the masked words of the source."""
        return self._guesses

    @property
    def lens(self) -> Json | None:
        """Every layer read as logits: `{answers, layers}`; `None` if it was not recorded."""
        return self._entries.get("lens")

    @property
    def origin(self) -> Json:
        """The program, its version, the model's name and the text as it was typed."""
        origin: Json = self._entries.get("origin", {})
        return origin

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of attention that were recorded: `encoder_self`, `decoder_self`, `cross`."""
        return tuple(kind for kind in KINDS if pattern_name(kind, 0) in self._arrays)

    @property
    def heads(self) -> list[Head]:
        """All recorded heads in the order of the computation."""
        return list(self._heads())

    def _heads(self) -> Iterator[Head]:
        for kind in self.kinds:
            stack = self.spec[STACKS[kind][0]]
            for layer in range(stack["layers"]):
                for head in range(stack["heads"]):
                    yield Head(kind, layer, head)

    def kind_of(self, kind: str | None) -> Kind:
        """The kind, or the usual one: cross-attention where there is any, else the last recorded."""
        kinds = self.kinds
        if not kinds:
            raise InvalidTrace("the trace has no map of attention")
        if kind is None:
            return kinds[-1]
        for own in kinds:
            if own == kind:
                return own
        raise ValueError(f"{kind!r} is none of the recorded kinds of attention, {', '.join(kinds)}")

    def axes(self, kind: str | None = None) -> tuple[list[Token], list[Token]]:
        """The tokens of the queries (rows) and of the keys (columns) of maps of a kind."""
        queries, keys, _ = STACKS[self.kind_of(kind)]
        sides = {"encoder": self.source, "decoder": self.target}
        return sides[queries], sides[keys]

    def pattern(self, layer: int, head: int, kind: str | None = None) -> np.ndarray:
        """The weights of a head, `[queries, keys]`, float32; each row is a distribution over the keys.

        Without a kind it is cross-attention if the trace has any, else the only self-attention.
        """
        kind = self.kind_of(kind)
        stack = self.spec[STACKS[kind][0]]
        for what, number, count in (("layer", layer, stack["layers"]), ("head", head, stack["heads"])):
            if not 0 <= number < count:
                raise IndexError(f"{what} {number} is not there: {kind} has {count} {what}s, counted from 0")
        weights: np.ndarray = self._arrays[pattern_name(kind, layer)][head]
        return weights

    def to_headvis(self, directory: str | Path, *, kind: str | None = None) -> Path:
        """Writes the `data/` folder that HeadVis reads, with the trace as its one sequence; see `headvis.write`."""
        from . import headvis

        return headvis.write(self, Path(directory), kind)

    @classmethod
    def from_headvis(cls, directory: str | Path, sequence: int | None = None) -> Trace:
        """Reads one sequence of a `data/` folder of HeadVis; see `headvis.read`."""
        from . import headvis

        return headvis.read(Path(directory), sequence)

    def show(self, *, height: int = 760, title: str | None = None, **options: Any) -> Replay:
        """What a notebook displays when it is the last value of a cell: the replay in a sandboxed frame, which needs no
        network, no server and no running kernel. `height` is in CSS pixels; the options are those of the replay:
        `language`, `theme`, `caption`, and `selection`, such as `{"layer": 2, "head": 3}`."""
        return replay.Replay(self, height=height, title=title, **options)

    def widget(self, *, height: int | None = 760, **selection: Any) -> TraceWidget:
        """The replay as a widget whose `kind`, `layer`, `head`, `token` and `step` are traits in both directions.
        What is taller than `height`, in CSS pixels, is scrolled; `None` shows all.

        Raises `MissingDependency` without the packages of `attention-scope[widget]`.
        """
        from .widget import create

        return create(self, height, **selection)

    def patterns_only(self) -> Trace:
        """The same with the attention weights alone, which are all that a replay shows."""
        patterns = {name: array for name, array in self._arrays.items() if name.endswith(".pattern")}
        return Trace(copy.copy(self._entries), patterns)

    def __repr__(self) -> str:
        model = self.origin.get("model") or self.spec["model_type"]
        words = f"{len(self.source)} source and {len(self.target)} target tokens"
        return f"<Trace of {model}: {len(self.heads)} heads, {words}>"
