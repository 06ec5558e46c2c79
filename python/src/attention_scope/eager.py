"""The state of a model in which it returns its attention weights, and the way back."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .errors import AttentionSwitched


@contextmanager
def recording(model: Any) -> Iterator[None]:
    """Within it the model attends eagerly, without dropout and without gradients; behind it the model is as before."""
    import torch

    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.no_grad(), _eager(model):
            yield
    finally:
        for module in training:
            module.training = True


@contextmanager
def _eager(model: Any) -> Iterator[None]:
    before = [(config, _implementation(config)) for config in _configs(model)]
    fast = sorted({name for _, name in before if name not in (None, "eager")})
    if not fast:
        yield
        return
    warnings.warn(
        f"{type(model).__name__} attends by {', '.join(fast)}, which returns no weights: it is switched to eager attention "
        "for this recording, and back after it",
        AttentionSwitched,
        # Of the caller of `record`: through this generator, `recording`, and both of `contextlib`.
        stacklevel=6,
    )
    try:
        # Models that attend in a class of their own for each implementation cannot be switched, and return no weights.
        if hasattr(model, "set_attn_implementation"):
            model.set_attn_implementation("eager")
        yield
    finally:
        for config, name in before:
            config._attn_implementation_internal = name


def _implementation(config: Any) -> str | None:
    return getattr(config, "_attn_implementation_internal", None)


def _configs(model: Any) -> list[Any]:
    """The configurations of a model, of its parts, and those within them, each once."""
    waiting = [module.config for module in model.modules() if hasattr(module, "config")]
    found: dict[int, Any] = {}
    while waiting:
        config = waiting.pop()
        if id(config) in found or not hasattr(config, "_attn_implementation_internal"):
            continue
        found[id(config)] = config
        names = getattr(config, "sub_configs", None) or {}
        waiting += [part for part in (getattr(config, name, None) for name in names) if part is not None]
    return list(found.values())
