"""Records a run of a `transformers` model: decoding, then one pass that returns every map of attention."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Collection
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import numpy as np

from . import eager, inputs
from . import lens as logit_lens
from .data import STACKS, Candidate, Decoding, Guess, Hypothesis, Step, Token, pattern_name
from .errors import InvalidInput, MissingDependency, NoAttention, NotFinite, TextTooLong
from .inputs import Input, Messages
from .lens import log_softmax, top
from .spec import Description
from .trace import Trace
from .vocabulary import Vocabulary

MOST_BYTES = 2 * 1000**3
CANDIDATES = 10


def record(
    model: Any,
    tokenizer: Any,
    text: Any = None,
    *,
    messages: Messages | None = None,
    target: str | None = None,
    max_new_tokens: int = 60,
    kinds: Collection[str] | None = None,
    lens: bool = False,
    index: int | None = None,
    seed: int = 0,
    name: str | None = None,
    **generation: Any,
) -> Trace:
    """Records a run of a model of `transformers`, of any architecture that returns its attention weights.

    A model that generates decodes greedily, step by step; then one pass over all tokens records every head's weights in
    float32. The model is used where it is (CPU or GPU) and in its own precision. If it attends by SDPA or Flash
    Attention, which return no weights, it is switched to eager attention for the recording, and back after it, with a
    warning (`AttentionSwitched`).

    Args:
        model: a model of `transformers`: decoder-only, encoder-only or encoder–decoder, with a head or without.
        tokenizer: its tokenizer.
        text: a text, or what the tokenizer made of one: a `BatchEncoding`, or numbers of tokens. Padding on either side
            is left out. Masked words (`[MASK]`) get guesses.
        messages: a conversation in place of the text, which the tokenizer's chat template writes as one.
        target: a text that the model is given in place of one that it decodes.
        max_new_tokens: the most tokens to append; 0 to record the text alone.
        kinds: the kinds of attention to keep, of `encoder_self`, `decoder_self` and `cross`; all by default.
        lens: also reads every layer as logits (the logit lens).
        index: the text of a batch, from 0.
        seed: of the random numbers, where `do_sample=True`.
        name: the model's name in the trace; by default that of its checkpoint.
        generation: further settings of `model.generate`, such as `num_beams=4` or `do_sample=True, temperature=0.8`.

    Raises:
        NoAttention: the model returns no maps of attention for all of its layers, as state-space models.
        EmptyText, TextTooLong, InvalidInput: the text cannot be read.
        NotFinite: weights are NaN.
        MissingDependency: `torch` is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingDependency("recording needs PyTorch: pip install 'attention-scope[record]'") from error

    model = getattr(model, "_orig_mod", model)
    if not hasattr(model, "config") or not isinstance(model, torch.nn.Module):
        raise InvalidInput(f"record() takes a model of transformers, not {type(model).__name__}")
    if getattr(model, "main_input_name", "input_ids") != "input_ids":
        raise InvalidInput(
            f"{type(model).__name__} reads `{model.main_input_name}`, and only models of text can be recorded"
        )
    unknown = sorted(set(kinds or ()) - set(STACKS))
    if unknown:
        raise ValueError(f"`kinds` has {', '.join(map(repr, unknown))}; the kinds are {', '.join(STACKS)}")
    vocabulary = Vocabulary(tokenizer)
    given = inputs.read(tokenizer, vocabulary, text, messages, index)
    run = _Run(model, tokenizer, vocabulary, given, seed, generation)
    run.check_input()
    with eager.recording(model):
        sequences = run.forced(target) if target is not None else run.decode(max_new_tokens)
        return run.trace(sequences, kinds, lens, name)


@dataclass(frozen=True)
class _Sequence:
    tokens: list[int]
    # Of a sequence that beam search found: the score, and the exponent of the length in it.
    score: float | None = None
    length_penalty: float = 1.0
    is_forced: bool = False


class _Run:
    def __init__(
        self, model: Any, tokenizer: Any, vocabulary: Vocabulary, given: Input, seed: int, generation: dict[str, Any]
    ):
        self.model, self.tokenizer, self.vocabulary, self.given = model, tokenizer, vocabulary, given
        self.seed, self.generation = seed, generation
        self.translates = bool(model.config.is_encoder_decoder)
        self.writes = bool(hasattr(model, "can_generate") and model.can_generate())
        self.description = Description(model)
        self.search: dict[str, Any] = {"kind": "greedy"}
        self.limit: int | None = None

    def check_input(self) -> None:
        """Makes sure that the model has a row and a position for each token."""
        rows = self.description.vocabulary
        odd = next((token for token in self.given.tokens if not 0 <= token.id < rows), None)
        if odd is not None:
            raise InvalidInput(
                f"the token {odd.text!r} has number {odd.id}, and the model has {rows} rows: is it its tokenizer?"
            )
        continues = self.writes and not self.translates
        self._check_length(len(self.given.tokens) + continues)

    def _check_length(self, count: int) -> None:
        most = self.description.max_tokens
        if most is not None and count > most:
            raise TextTooLong(f"the text has {count} tokens, and the model reads at most {most}")

    def _tensor(self, numbers: list[int]) -> Any:
        import torch

        return torch.tensor([numbers], device=self.model.device)

    def _source(self) -> dict[str, Any]:
        return {"input_ids": self._tensor(self.given.ids), "attention_mask": self._tensor([1] * len(self.given.ids))}

    def start(self) -> list[int]:
        """The tokens that a decoder reads first."""
        if not self.translates:
            return self.given.ids
        config = self.model.config
        settings = getattr(self.model, "generation_config", None)
        for owner in (settings, config):
            number = getattr(owner, "decoder_start_token_id", None)
            if number is not None:
                return [int(number[0] if isinstance(number, list) else number)]
        number = getattr(config, "bos_token_id", None)
        if number is None:
            raise InvalidInput(f"{type(self.model).__name__} names no token that its decoder starts from")
        return [int(number)]

    def forced(self, target: str) -> list[_Sequence]:
        """The given target as a sequence."""
        if not self.writes:
            raise InvalidInput(f"{type(self.model).__name__} writes no text, so it takes no `target`")
        numbers = inputs.target_of(self.tokenizer, self.vocabulary, target, is_continuation=not self.translates)
        self._check_length(len(self.start()) + len(numbers) - 1)
        return [_Sequence(numbers, is_forced=True)]

    def decode(self, max_new_tokens: int) -> list[_Sequence]:
        """The sequences that the model finds, best first."""
        import torch

        if not self.writes or max_new_tokens <= 0:
            return []
        most = self.description.max_tokens
        room = max_new_tokens if most is None else min(max_new_tokens, most - len(self.start()))
        if room <= 0:
            return []
        self.limit = room
        settings = copy.deepcopy(self.model.generation_config)
        wanted = {"do_sample": False, "num_beams": 1, **self.generation}
        if not wanted["do_sample"]:
            # Settings of sampling in a checkpoint; they would be complained about.
            wanted = {"temperature": None, "top_p": None, "top_k": None, "min_p": None, "typical_p": None, **wanted}
        if settings.pad_token_id is None:
            end = settings.eos_token_id
            settings.pad_token_id = end[0] if isinstance(end, list) else end
        # The length of the whole is bounded by the number of new tokens alone.
        settings.max_length = None
        settings.update(
            max_new_tokens=room,
            return_dict_in_generate=True,
            output_scores=int(wanted["num_beams"] or 1) > 1,
            **{key: value for key, value in wanted.items() if hasattr(settings, key)},
        )
        rest = {key: value for key, value in wanted.items() if not hasattr(settings, key)}
        beams = int(settings.num_beams or 1)
        if beams > 1:
            settings.num_return_sequences = beams
            self.search = {"kind": "beam", "width": beams, "length_penalty": float(settings.length_penalty or 1.0)}
        elif settings.do_sample:
            how = {
                "temperature": float(1.0 if settings.temperature is None else settings.temperature),
                "top_k": int(settings.top_k or 0),
                "top_p": float(1.0 if settings.top_p is None else settings.top_p),
            }
            self.search = {"kind": "sampling", "how": how, "seed": self.seed}
        device = self.model.device
        devices = [device.index or 0] if device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            torch.manual_seed(self.seed)
            found = self.model.generate(**self._source(), generation_config=settings, **rest)
        skip = 1 if self.translates else len(self.given.ids)
        ends = settings.eos_token_id
        ends = set(ends if isinstance(ends, list) else [] if ends is None else [ends])
        scores = found.sequences_scores.tolist() if beams > 1 else [None]
        penalty = self.search.get("length_penalty", 1.0)
        sequences = (_until(ends, sequence[skip:].tolist()) for sequence in found.sequences)
        return [_Sequence(tokens, score, penalty) for tokens, score in zip(sequences, scores, strict=True)]

    def trace(
        self, sequences: list[_Sequence], kinds: Collection[str] | None, wants_lens: bool, name: str | None
    ) -> Trace:
        """The pass that records, and what came before it."""
        appended = sequences[0].tokens if sequences else []
        read = [*self.start(), *appended[:-1]] if self.translates or self.writes else self.given.ids
        self._check_memory(read, kinds)
        call = self._source()
        if self.translates:
            call["decoder_input_ids"] = self._tensor(read)
        else:
            call["input_ids"], call["attention_mask"] = self._tensor(read), self._tensor([1] * len(read))
        for key, values in self.given.extra.items():
            # Appended tokens are of the last segment.
            call[key] = self._tensor([*values, *[values[-1]] * (call["input_ids"].shape[1] - len(values))])
        call |= {"return_dict": True}
        accepted = inspect.signature(self.model.forward).parameters
        if "use_cache" in accepted:
            call["use_cache"] = False
        output = self.model(**call, output_attentions=True, output_hidden_states=wants_lens)
        maps = self._maps(output, len(read))
        logits = self._logits(output, len(read))
        stacks = {kind: (len(layers), layers[0].shape[0]) for kind, layers in maps.items()}
        is_causal = "encoder_self" not in maps or self.translates
        spec = self.description.spec(stacks, has_words=logits is not None, writes=self.writes)
        given, rest = (
            self.given.tokens,
            self.vocabulary.tokens(read if self.translates else read[len(self.given.ids) :]),
        )
        source, target = (given, rest) if self.translates else ([], [*given, *rest]) if is_causal else (given, [])
        entries: dict[str, Any] = {
            "trace": {
                "spec": spec,
                "source": [token.to_json() for token in source],
                "target": [token.to_json() for token in target],
            }
        }
        pieces = self.vocabulary.pieces([*source, *target]).to_json()
        if pieces:
            entries["trace"]["pieces"] = pieces
        if sequences and logits is not None:
            entries["decoding"] = self._decoding(sequences, logits, len(read)).to_json()
        guesses = self._guesses(source, logits) if spec["generates"] == "masked_words" and logits is not None else []
        if guesses:
            entries["guesses"] = [guess.to_json() for guess in guesses]
        if wants_lens:
            entries["lens"] = self._lens(call, output, logits, appended)
        entries["origin"] = self._origin(name)
        arrays = {
            pattern_name(kind, layer): weights
            for kind, layers in maps.items()
            if kinds is None or kind in kinds
            for layer, weights in enumerate(layers)
        }
        if not arrays:
            raise NoAttention(f"{type(self.model).__name__} has no attention of the kinds {', '.join(kinds or ())}")
        return Trace(entries, arrays, name="the recording")

    def _check_memory(self, read: list[int], kinds: Collection[str] | None) -> None:
        source, target = (len(self.given.ids), len(read)) if self.translates else (len(read), len(read))
        layers, heads = self.description.layers_and_heads()
        sizes = {"encoder_self": source * source, "decoder_self": target * target, "cross": source * target}
        kept = kinds or (sizes if self.translates else ["decoder_self"])
        needed = 4 * layers * heads * sum(sizes[kind] for kind in kept)
        if needed > MOST_BYTES:
            raise TextTooLong(
                f"the maps of {max(source, target)} tokens in {layers} layers of {heads} heads take {needed / 1000**3:.1f} GB, "
                f"and a trace takes {MOST_BYTES / 1000**3:.0f}: record a shorter text"
            )

    def _maps(self, output: Any, length: int) -> dict[str, list[np.ndarray]]:
        """The weights of each kind by layer, `[heads, queries, keys]`."""
        name = type(self.model).__name__
        if hasattr(self.model.config, "attention_window"):
            # They may have the shape of a map by chance.
            raise NoAttention(
                f"{name} returns weights by distance within a window, which are no maps of queries by keys"
            )
        if self.translates:
            source = len(self.given.ids)
            fields = {
                "encoder_self": ("encoder_attentions", source, source),
                "decoder_self": ("decoder_attentions", length, length),
                "cross": ("cross_attentions", length, source),
            }
        else:
            fields = {"self": ("attentions", length, length)}
        maps = {}
        for kind, (field, queries, keys) in fields.items():
            layers = getattr(output, field, None)
            if not layers or any(layer is None for layer in layers):
                raise NoAttention(
                    f"{name} returns no attention weights (`{field}` is empty): either it has no attention, as state-space models, "
                    'or it cannot be switched to eager attention; load it with attn_implementation="eager"'
                )
            arrays = [np.ascontiguousarray(layer[0].detach().float().cpu().numpy()) for layer in layers]
            for layer, array in enumerate(arrays):
                if layers[layer].shape[0] != 1 or array.ndim != 3 or array.shape[1:] != (queries, keys):
                    raise NoAttention(
                        f"{name} returns weights of the shape {tuple(layers[layer].shape)} in layer {layer}, which are no maps of "
                        f"{queries} queries by {keys} keys"
                    )
                if not np.isfinite(array).all():
                    raise NotFinite(
                        f"the {field} of layer {layer} have weights that are not finite: the model overflows in "
                        f"{self.model.dtype}; load it with dtype=torch.float32"
                    )
            maps[kind] = arrays
        if self.translates:
            return maps
        layers, expected = maps["self"], self.description.layers_and_heads()[0]
        if len(layers) != expected:
            raise NoAttention(
                f"{name} returns attention weights of {len(layers)} of its {expected} layers, and the others do not attend: a trace "
                "has the weights of all layers"
            )
        return {"decoder_self" if self._is_causal(layers) else "encoder_self": layers}

    def _is_causal(self, layers: list[np.ndarray]) -> bool:
        """True if no query sees a later key, and the model is no encoder that reads one token."""
        if self.writes:
            return True
        if layers[0].shape[-1] == 1:
            return bool(getattr(self.model.config, "is_decoder", False))
        return not any(np.triu(layer, 1).any() for layer in layers)

    def _logits(self, output: Any, length: int) -> np.ndarray | None:
        """The logits of words, `[positions, vocabulary]`; `None` of models that make none."""
        logits = getattr(output, "logits", None)
        if (
            logits is None
            or logits.ndim != 3
            or logits.shape[1] != length
            or logits.shape[2] < self.description.vocabulary
        ):
            return None
        return np.ascontiguousarray(logits[0].detach().float().cpu().numpy())

    def _candidate(self, row: np.ndarray, logs: np.ndarray, number: int) -> Candidate:
        return Candidate(self.vocabulary.token(number), float(row[number]), float(logs[number]))

    def _candidates(self, row: np.ndarray, logs: np.ndarray) -> tuple[Candidate, ...]:
        return tuple(self._candidate(row, logs, number) for number in top(row, CANDIDATES))

    def _decoding(self, sequences: list[_Sequence], logits: np.ndarray, length: int) -> Decoding:
        first = length - len(sequences[0].tokens)
        # Of a model that reads a source, the row of the start token makes the first prediction.
        rows = logits[first:]
        steps = []
        for place, (row, number) in enumerate(zip(rows, sequences[0].tokens, strict=True)):
            logs = log_softmax(row)
            chosen = self._candidate(row, logs, number)
            steps.append(Step(first + place, chosen, sequences[0].is_forced, self._candidates(row, logs)))
        hypotheses = []
        for sequence in sequences:
            tokens = tuple(self.vocabulary.tokens(sequence.tokens))
            if sequence.score is None:
                total = self._log_probability(steps)
                score = total
            else:
                score = sequence.score
                total = score * len(sequence.tokens) ** sequence.length_penalty
            hypotheses.append(Hypothesis(tokens, self.vocabulary.decode(sequence.tokens), total, score))
        return Decoding(self.search, tuple(hypotheses), tuple(steps))

    def _log_probability(self, steps: list[Step]) -> float:
        """The sum over the tokens; a first token that the settings force, and an end that the limit forces, add nothing."""
        settings = self.model.generation_config
        first = settings.forced_bos_token_id is not None and not steps[0].forced
        end = settings.forced_eos_token_id
        ends = end if isinstance(end, list) else [end]
        last = len(steps) == self.limit and steps[-1].chosen.token.id in ends
        return sum(step.chosen.log_probability for step in steps[int(first) : len(steps) - int(last)])

    def _guesses(self, source: list[Token], logits: np.ndarray) -> list[Guess]:
        mask = self.vocabulary.mask()
        masked = [place for place, token in enumerate(source) if mask is not None and token.id == mask.id]
        return [Guess(place, self._candidates(logits[place], log_softmax(logits[place]))) for place in masked]

    def _lens(self, call: dict[str, Any], output: Any, logits: np.ndarray | None, appended: list[int]) -> Any:
        states = output.decoder_hidden_states if self.translates else output.hidden_states
        if logits is None or not states:
            raise InvalidInput(
                f"{type(self.model).__name__} makes no logits of words, so there is no lens; leave out `lens=True`"
            )
        return logit_lens.read(self.model, call, states, logits, appended, self.vocabulary)

    def _origin(self, name: str | None) -> dict[str, str]:
        path = str(getattr(self.model.config, "_name_or_path", "") or getattr(self.model, "name_or_path", "") or "")
        # The name of a hub stays as it is, a path is reduced to its last part.
        is_path = path.startswith((".", "/", "~")) or "\\" in path or path.count("/") > 1
        named = name or (PurePath(path.replace("\\", "/")).name if is_path else path) or self.model.config.model_type
        origin = {"program": "attention-scope (Python)", "version": version("attention-scope"), "model": named}
        return origin | ({} if self.given.text is None else {"text": self.given.text})


def _until(ends: set[int], tokens: list[int]) -> list[int]:
    """The tokens up to the first end, which is kept; `generate` pads the shorter sequences."""
    place = next((place for place, token in enumerate(tokens) if token in ends), None)
    return tokens if place is None else tokens[: place + 1]
