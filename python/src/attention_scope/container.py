"""The file of a trace: safetensors with JSON in the metadata (`docs/trace-format.md`), checked before it is believed."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from .data import KINDS, STACKS, Json
from .errors import InvalidTrace, NewerTrace

FORMAT = 1
MOST_BYTES = 2 * 1000**3
THUMBNAIL_EDGE = 48
_MAPS = ("pattern", "scores", "scaled_scores", "masked_scores", "thumbnail")
# The entries of the metadata that hold JSON.
ENTRIES = ("trace", "decoding", "guesses", "edits", "lens", "origin")

_QUANTITIES = (
    "token_embedding embedding query_before_norm key_before_norm query_before_rope key_before_rope query key value scores "
    "scaled_scores position_bias masked_scores center pattern thumbnail z pre pre_linear post out out_norm residual norm "
    "final_norm state readout halting depth_weight"
).split()
_SITE = re.compile(rf"logits|(encoder|decoder)\.((0|[1-9]\d*)\.(self|cross|mlp)\.)?({'|'.join(_QUANTITIES)})")


def read(data: bytes, name: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The entries of the metadata and the arrays of a trace. `name` stands in errors."""
    if len(data) >= MOST_BYTES:
        raise InvalidTrace(f"{name} has {len(data):,} bytes; a trace has less than {MOST_BYTES:,}")
    metadata = _metadata(data, name)
    entries = {key: _json(metadata[key], key, name) for key in ENTRIES if key in metadata}
    try:
        arrays = safetensors.numpy.load(data)
    except (safetensors.SafetensorError, KeyError, ValueError) as error:
        raise InvalidTrace(f"{name} is not a valid safetensors file: {error}") from error
    for site, array in arrays.items():
        if not _SITE.fullmatch(site):
            raise InvalidTrace(f"{name}: `{site}` names no place of a model")
        if array.dtype != np.float32:
            raise InvalidTrace(f"{name}: array `{site}` is {array.dtype}, not float32")
    check(entries, arrays, name)
    return entries, arrays


def write(entries: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of the file."""
    metadata = {"format": str(FORMAT)}
    metadata |= {key: json.dumps(value, ensure_ascii=False, allow_nan=False) for key, value in entries.items()}
    contiguous = {site: np.ascontiguousarray(array, np.float32) for site, array in arrays.items()}
    return bytes(safetensors.numpy.save(contiguous, metadata=metadata))


def _metadata(data: bytes, name: str) -> dict[str, str]:
    if len(data) < 8 or struct.unpack("<Q", data[:8])[0] > len(data) - 8:
        raise InvalidTrace(f"{name} is not a valid safetensors file: its header is longer than the file")
    (length,) = struct.unpack("<Q", data[:8])
    try:
        header = json.loads(data[8 : 8 + length])
    except ValueError as error:
        raise InvalidTrace(f"{name} is not a valid safetensors file: its header is no JSON ({error})") from error
    metadata = header.get("__metadata__") if isinstance(header, dict) else None
    if not isinstance(metadata, dict) or "trace" not in metadata:
        raise InvalidTrace(f"{name} has no `trace` entry in its metadata, so it is not a trace")
    written = metadata.get("format", "1")
    if not isinstance(written, str) or not re.fullmatch(r"[1-9][0-9]{0,8}", written):
        raise InvalidTrace(f"{name}: the entry `format` is {written!r}, not a number")
    if int(written) > FORMAT:
        raise NewerTrace(f"{name} has version {written} of the trace format, and this package reads up to {FORMAT}")
    return metadata


def _json(text: Any, key: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidTrace(f"{name}: the entry `{key}` cannot be read: {error}") from error


def check(entries: Mapping[str, Any], arrays: Mapping[str, np.ndarray], name: str) -> None:
    """Refuses a trace whose maps do not fit its heads, layers and tokens, whose weights are not finite, or whose entries
    name places beyond its tokens."""
    meta = _object(entries.get("trace"), f"{name}: the entry `trace`")
    spec = _object(meta.get("spec"), f"{name}: `spec` of the entry `trace`")
    for side in ("source", "target"):
        tokens = meta.get(side)
        if not isinstance(tokens, list) or not all(map(_is_token, tokens)):
            raise InvalidTrace(f"{name}: `{side}` of the entry `trace` is no list of tokens")
    lengths = {"encoder": len(meta["source"]), "decoder": len(meta["target"])}
    for kind in KINDS:
        _check_maps(kind, spec, lengths, arrays, name)
    _check_places(
        entries.get("decoding"), "steps", "row", lengths["decoder"], f"{name}: a step of the entry `decoding`"
    )
    _check_places(entries, "guesses", "place", lengths["encoder"], f"{name}: a guess of the entry `guesses`")
    origin = _object(entries.get("origin", {}), f"{name}: the entry `origin`")
    for field in ("program", "version", "model", "text"):
        if not isinstance(origin.get(field), str | None):
            raise InvalidTrace(f"{name}: `{field}` of the entry `origin` is no text")
    if "lens" in entries:
        lens = _object(entries["lens"], f"{name}: the entry `lens`")
        count = lengths["decoder"] or lengths["encoder"]
        layers = lens.get("layers")
        for row in [lens.get("answers"), *(layers if isinstance(layers, list) else [None])]:
            if not isinstance(row, list) or len(row) != count:
                raise InvalidTrace(f"{name}: the entry `lens` does not have a reading for each of {count} tokens")


def _check_maps(kind: str, spec: Json, lengths: Mapping[str, int], arrays: Mapping[str, np.ndarray], name: str) -> None:
    """The maps of one kind of attention."""
    queries, keys, sublayer = STACKS[kind]
    own = re.compile(rf"{queries}\.(\d+)\.{sublayer}\.({'|'.join(_MAPS)})")
    found = {site: int(match[1]) for site, match in ((site, own.fullmatch(site)) for site in arrays) if match}
    if not found:
        return
    where = f"{name}: `{next(iter(found))}`"
    stack = _object(spec.get(queries), f"{where} is there, but `{queries}` of the model's description")
    layers, heads = (_size(stack.get(field), f"{name}: `{field}` of the {queries}") for field in ("layers", "heads"))
    patterns = sorted(layer for site, layer in found.items() if site.endswith(".pattern"))
    if patterns not in ([], list(range(layers))) or max(found.values()) >= layers:
        raise InvalidTrace(f"{name} has the {kind} maps of the layers {patterns}, and the model has {layers} layers")
    wanted = (heads, lengths[queries], lengths[keys])
    for site in found:
        shape = arrays[site].shape
        is_small = site.endswith(".thumbnail") and len(shape) == 3
        if shape != wanted and not (is_small and shape[0] == heads and max(shape[1:]) <= THUMBNAIL_EDGE):
            raise InvalidTrace(
                f"{name}: array `{site}` has the shape {shape}, and {heads} heads over its tokens need {wanted}"
            )
        if site.endswith(".pattern") and not np.isfinite(arrays[site]).all():
            raise InvalidTrace(f"{name}: array `{site}` has weights that are not finite")


def _check_places(entry: Any, field: str, place: str, count: int, what: str) -> None:
    """The places that the members of a list name, from 0."""
    members = entry.get(field, ()) if isinstance(entry, Mapping) else ()
    for member in members if isinstance(members, list) else ():
        at = member.get(place) if isinstance(member, dict) else None
        if not isinstance(at, int) or not 0 <= at < count:
            raise InvalidTrace(f"{what} has a {place} beyond the {count} tokens")


def _is_token(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), int) and isinstance(value.get("text"), str)


def _object(value: Any, what: str) -> Json:
    if not isinstance(value, dict):
        raise InvalidTrace(f"{what} is no object")
    return value


def _size(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 2**20:
        raise InvalidTrace(f"{what} is {value!r}, not a positive number")
    return value
