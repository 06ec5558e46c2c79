"""The JSON of HeadVis (github.com/anthropics/headvis, Apache-2.0), as the docstrings of its `data_pipeline.py` define it.

HeadVis shows heads over many sequences, a trace is one. So a folder written here has one sequence, in the interval of the
highest activation, and the metrics that attention weights alone determine; queries, keys and sparse features are not in
it. HeadVis knows one kind of attention, `heads/L{layer}H{head}.json`, and no decoding.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .data import STACKS, Json, Token, pattern_name
from .errors import InvalidTrace
from .spelling import LINE_BREAK, SPACE

if TYPE_CHECKING:
    from .trace import Trace

INTERVALS = 10
DECIMALS = 4
_DESCRIPTIONS = {
    "self_attention_score": "mean weight of a token on itself",
    "previous_token_score": "mean weight on the token before",
    "pattern_entropy": "mean entropy of a row, in nats",
    "qk_distance": "mean distance of query and key, by weight",
    "qk_distance_variance": "variance of that distance",
    "induction_score": "mean weight on the tokens behind earlier occurrences of the same token",
}
_PATTERN = "L{layer}H{head}.json"


def write(trace: Trace, directory: Path, kind: str | None = None) -> Path:
    """Writes `config.json`, `scatter_data.json` and a file for each head of one kind of self-attention.

    Weights have four decimals; those that are zero with four decimals are left out, as the format is sparse.
    """
    if kind is None:
        kind = next((own for own in reversed(trace.kinds) if own != "cross"), "cross")
    kind = trace.kind_of(kind)
    queries, _keys = trace.axes(kind)
    if kind == "cross":
        raise ValueError("HeadVis shows attention of a text to itself, and `cross` attends to another one")
    stack = trace.spec[STACKS[kind][0]]
    places = [(layer, head) for layer in range(stack["layers"]) for head in range(stack["heads"])]
    texts = [_spaced(token.text) for token in queries]
    rows = []
    (directory / "heads").mkdir(parents=True, exist_ok=True)
    (directory / "attributions").mkdir(exist_ok=True)
    for layer, head in places:
        weights = trace.pattern(layer, head, kind).astype(np.float64)
        rows.append({"layer": layer, "head": head} | _metrics(weights, [token.id for token in queries]))
        _dump(directory / "heads" / _PATTERN.format(layer=layer, head=head), _head(weights, texts))
    _dump(directory / "scatter_data.json", rows)
    _dump(
        directory / "config.json",
        {
            "model_name": trace.origin.get("model") or trace.spec["model_type"],
            "heads": places,
            "n_layers": stack["layers"],
            "n_heads": stack["heads"],
            "n_intervals": INTERVALS,
            "metrics": list(_DESCRIPTIONS),
            "metric_descriptions": _DESCRIPTIONS,
            "head_data_pattern": _PATTERN,
            "has_umap": False,
            "umap_heads": [],
            "custom_plots": [{"key": "qk_distance_histogram", "label": "Q-K distance"}],
            "custom_tables": [
                {"key": "top_query_tokens", "label": "Top query tokens"},
                {"key": "top_key_tokens", "label": "Top key tokens"},
            ],
            "statistics_display": {"mean_max_activation": {"label": "Mean max activation", "format": "default"}},
        },
    )
    # HeadVis without a server.
    _dump(directory / "server_config.json", {})
    _dump(directory / "attributions" / "manifest.json", {})
    return directory


def _dump(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, allow_nan=False), encoding="utf-8")


def _spaced(text: str) -> str:
    return text.replace(SPACE, " ").replace(LINE_BREAK, "\n")


def _round(value: float) -> float:
    return round(float(value), DECIMALS)


def _head(weights: np.ndarray, texts: list[str]) -> Json:
    count = len(texts)
    rounded = weights.round(DECIMALS)
    indices = np.flatnonzero(rounded)
    # HeadVis leaves out the first row and the first column, and the diagonal.
    inner = weights[1:, 1:] * (1 - np.eye(max(count - 1, 0)))
    highest = _round(inner.max(initial=0.0))
    distances = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    edges = [0, 1]
    while edges[-1] <= count:
        edges.append(edges[-1] * 2)
    values, _ = np.histogram(distances.ravel()[indices], bins=edges)
    return {
        "sequences": [
            {
                "sequence_id": 0,
                "interval": INTERVALS,
                "tokens": texts,
                "attention_indices": indices.tolist(),
                "attention_values": rounded.ravel()[indices].tolist(),
                "seq_len": count,
                "max_activation": highest,
            }
        ],
        "qk_distance_histogram": {"bin_edges": edges, "bin_values": values.tolist()},
        "top_query_tokens": _marginal(weights.sum(1), texts),
        "top_key_tokens": _marginal(weights.sum(0), texts),
        "histogram": {},
        "statistics": {"n_samples": 1, "mean_max_activation": highest},
    }


def _marginal(sums: np.ndarray, texts: list[str]) -> list[Json]:
    """Tokens by the weight that they give or get, the heaviest first."""
    weights: dict[str, float] = {}
    for text, weight in zip(texts, sums, strict=True):
        weights[text] = weights.get(text, 0.0) + float(weight)
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    return [{"token": text, "weight": _round(weight)} for text, weight in ranked]


def _metrics(weights: np.ndarray, ids: list[int]) -> dict[str, float]:
    count = len(ids)
    distances = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    total = weights.sum()
    distance = (weights * distances).sum() / total
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    behind = np.zeros_like(weights)
    for query in range(count):
        for earlier in range(query):
            behind[query, earlier + 1] = earlier + 1 <= query and ids[earlier] == ids[query]
    return {
        "self_attention_score": _round(np.diagonal(weights).mean()),
        "previous_token_score": _round(np.diagonal(weights, -1).mean()) if count > 1 else 0.0,
        "pattern_entropy": _round(-(weights * logs).sum(1).mean()),
        "qk_distance": _round(distance),
        "qk_distance_variance": _round((weights * (distances - distance) ** 2).sum() / total),
        "induction_score": _round((weights * behind).sum(1).mean()),
    }


def read(directory: Path, sequence: int | None = None) -> Trace:
    """Reads one sequence, by its `sequence_id`, with the weights of all heads that the folder has of it.

    Raises `InvalidTrace` if a file is missing or contradicts the others, or if a layer lacks a head: a trace has the maps
    of all heads. Without `sequence`, it is the first that all heads have. HeadVis keeps no numbers of tokens, so equal
    texts get equal numbers.
    """
    from .trace import Trace

    config = _read(directory / "config.json")
    layers, heads = (_count(config, field) for field in ("n_layers", "n_heads"))
    pattern = config.get("head_data_pattern", _PATTERN)
    by_head: dict[tuple[int, int], dict[int, Json]] = {}
    for layer in range(layers):
        for head in range(heads):
            if [layer, head] not in config.get("heads", []):
                raise InvalidTrace(
                    f"config.json lists no head {head} of layer {layer}, and a trace has all heads of a model"
                )
            name = pattern.replace("{layer}", str(layer)).replace("{head}", str(head))
            content = _read(directory / "heads" / Path(name).name)
            by_head[layer, head] = {found["sequence_id"]: found for found in content.get("sequences", ())}
    common = set.intersection(*(set(found) for found in by_head.values()))
    if sequence is None:
        sequence = next((number for number in by_head[0, 0] if number in common), None)
    if sequence not in common:
        raise InvalidTrace(f"{directory.name} has no sequence {sequence} that all {layers * heads} heads have")
    texts = by_head[0, 0][sequence]["tokens"]
    arrays = {
        pattern_name("decoder_self", layer): np.stack(
            [_dense(by_head[layer, head][sequence], texts, f"L{layer}H{head}") for head in range(heads)]
        )
        for layer in range(layers)
    }
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    spelled = [text.replace(" ", SPACE).replace("\n", LINE_BREAK) for text in texts]
    target = [Token(numbers[text], shown).to_json() for text, shown in zip(texts, spelled, strict=True)]
    stack = {
        "layers": layers,
        "heads": heads,
        "key_value_heads": heads,
        "head_width": 0,
        "causal": True,
        "cross_attention": False,
    }
    model = str(config.get("model_name", "HeadVis"))
    spec = {
        "model_type": model,
        "width": 0,
        "vocabulary": len(numbers),
        "decoder": stack,
        "embedding_factor": 1.0,
        "positions": {"encoding": "none"},
        "scales_scores": True,
        "output_bias": False,
        "generates": "nothing",
    }
    entries = {
        "trace": {"spec": spec, "source": [], "target": target},
        "origin": {"program": "headvis", "model": model},
    }
    return Trace(entries, arrays, name=directory.name)


def _read(path: Path) -> Json:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidTrace(f"{path.name} of HeadVis cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise InvalidTrace(f"{path.name} of HeadVis is no object")
    return content


def _count(config: Json, field: str) -> int:
    count = config.get(field)
    if not isinstance(count, int) or not 0 < count < 2**16:
        raise InvalidTrace(f"config.json of HeadVis: `{field}` is {count!r}, not a positive number")
    return count


def _dense(sequence: Json, texts: list[str], name: str) -> np.ndarray:
    count = len(texts)
    if sequence.get("tokens") != texts or sequence.get("seq_len") != count or not count:
        raise InvalidTrace(f"{name}.json: sequence {sequence['sequence_id']} has other tokens than in L0H0.json")
    indices, values = (np.asarray(sequence.get(f"attention_{part}", [])) for part in ("indices", "values"))
    fits = indices.shape == values.shape and (
        not indices.size or (indices.dtype.kind == "i" and values.dtype.kind in "if")
    )
    if not fits or (indices.size and not (indices.min() >= 0 and indices.max() < count * count)):
        raise InvalidTrace(f"{name}.json: `attention_indices` and `attention_values` do not fit {count} tokens")
    weights = np.zeros(count * count, np.float32)
    weights[indices.astype(np.int64)] = values
    return weights.reshape(count, count)
