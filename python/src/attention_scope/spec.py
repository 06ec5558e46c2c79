"""The description of a model of `transformers` in the terms of the trace format (`ModelSpec` of `attention-trace`).

Sizes come from the configuration and the recorded maps. Facts that a configuration does not state, such as the place of
the norms, are known for the families below; for other models they are left out, as the format asks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from .data import Json

_POST = {"bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "marian", "bart"}
_PRE = {
    "gpt2",
    "gpt_neo",
    "gpt_neox",
    "gptj",
    "bloom",
    "falcon",
    "llama",
    "mistral",
    "mixtral",
    "qwen2",
    "qwen3",
    "smollm3",
    "phi",
    "phi3",
    "gemma",
    "t5",
    "mt5",
    "m2m_100",
    "nllb-moe",
    "mbart",
    "pegasus",
    "modernbert",
    "stablelm",
    "starcoder2",
    "granite",
    "cohere",
}
_PLACEMENTS = {
    **dict.fromkeys(_POST, "post"),
    **dict.fromkeys(_PRE, "pre"),
    "olmo2": "output",
    "olmo3": "output",
    **dict.fromkeys(["gemma2", "gemma3_text", "gemma3"], "both"),
}
_ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_python": "gelu",
    "silu": "silu",
    "swish": "silu",
    **dict.fromkeys(["gelu_new", "gelu_pytorch_tanh", "gelu_python_tanh", "gelu_fast"], "gelu_new"),
}
# The first matrix of a feed-forward network by its module's name, and whether a gate multiplies its product.
_NETWORKS = (
    (r"\.(gate_up_proj|gate_proj|wi_0|w1)$", True),
    (r"\.mlp\.Wi$", True),
    (r"\.(fc1|c_fc|fc_in|wi|up_proj|dense_h_to_4h|intermediate\.dense|ffn\.lin1)$", False),
)
_ROTARY = re.compile(r"rotary|rope", re.IGNORECASE)
_LEARNED = re.compile(r"(^|\.)(wpe|position_embeddings|embed_positions|position_embedding)$")
_EMBEDDING_NORM = re.compile(r"embeddings\.(LayerNorm|norm)$|(layernorm_embedding|word_embeddings_layernorm)$")


def _first(config: Any, *names: str) -> Any:
    """The first of these entries that the configuration has and sets."""
    return next((value for value in (getattr(config, name, None) for name in names) if value is not None), None)


class Description:
    """The facts of a model that its configuration and its modules state."""

    def __init__(self, model: Any) -> None:
        self._model = model
        whole = model.config
        self._is_translator = bool(whole.is_encoder_decoder)
        text = (
            whole
            if self._is_translator or not hasattr(whole, "get_text_config")
            else whole.get_text_config(decoder=True)
        )
        self._config = text
        self._modules = dict(model.named_modules())
        self._type = str(text.model_type)
        # Of a model put together of two, each has its own configuration.
        self._sides: dict[str, Any] = {}
        for stack in ("encoder", "decoder"):
            own = getattr(whole, stack, None)
            self._sides[stack] = own if self._is_translator and hasattr(own, "model_type") else text

    @property
    def vocabulary(self) -> int:
        """Rows of the embedding table; of two vocabularies, that of the target."""
        if self.source_vocabulary is not None:
            return int(self._config.decoder_vocab_size)
        size = _first(self._sides["decoder"], "vocab_size")
        return int(size if size is not None else self._model.get_input_embeddings().weight.shape[0])

    @property
    def source_vocabulary(self) -> int | None:
        """Rows of the encoder's table, if source and target have separate vocabularies."""
        is_shared = getattr(self._config, "share_encoder_decoder_embeddings", True)
        is_separate = self._type == "marian" and not is_shared
        return int(self._config.vocab_size) if is_separate else None

    @property
    def _width(self) -> int:
        return int(_first(self._sides["decoder"], "d_model", "hidden_size", "n_embd", "dim") or 0)

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of a sequence; `None` if positions are told by distance alone."""
        encoding = self._positions()["encoding"]
        if encoding in ("t5", "alibi", "none"):
            return None
        most = _first(self._sides["decoder"], "max_position_embeddings", "n_positions", "n_ctx", "max_target_positions")
        if most is None:
            return None
        if self._type in ("roberta", "xlm-roberta", "camembert", "longformer"):
            most -= int(self._config.pad_token_id or 0) + 1
        rope = self._rope()
        if rope.get("rope_type") == "dynamic":
            most *= rope.get("factor") or 1.0
        return int(most)

    def layers_and_heads(self) -> tuple[int, int]:
        """Layers and query heads of the stack that writes, or of the only one."""
        return self._counts("decoder")

    def _counts(self, stack: str) -> tuple[int, int]:
        config = self._sides[stack]
        layers = _first(
            config,
            *(["num_decoder_layers"] if stack == "decoder" else []),
            f"{stack}_layers",
            "num_hidden_layers",
            "n_layer",
            "num_layers",
            "n_layers",
        )
        heads = _first(config, f"{stack}_attention_heads", "num_attention_heads", "n_head", "num_heads", "n_heads")
        return int(layers or 0), int(heads or 0)

    def spec(self, stacks: Mapping[str, tuple[int, int]], *, has_words: bool, writes: bool) -> Json:
        """The description, with layers and heads as they were recorded for each kind of attention."""
        config = self._config
        spec: Json = {"model_type": self._type, "width": self._width, "vocabulary": self.vocabulary}
        _put(spec, "source_vocabulary", self.source_vocabulary)
        _put(spec, "max_tokens", self.max_tokens)
        for stack in ("encoder", "decoder"):
            if f"{stack}_self" in stacks:
                spec[stack] = self._stack(
                    stack, *stacks[f"{stack}_self"], has_cross=stack == "decoder" and "cross" in stacks
                )
        spec["embedding_factor"] = self._embedding_factor()
        if self._type != "distilbert" and any(name.endswith("token_type_embeddings") for name in self._modules):
            spec["segments"] = int(getattr(config, "type_vocab_size", 0) or 0)
        if any(map(_EMBEDDING_NORM.search, self._modules)):
            spec["embedding_norm"] = True
        spec["positions"] = self._positions()
        spec["scales_scores"] = self._scales_scores()
        _put(spec, "score_cap", _number(getattr(config, "attn_logit_softcapping", None)))
        _put(spec, "logit_cap", _number(getattr(config, "final_logit_softcapping", None)))
        is_masked = has_words and not writes and "encoder_self" in stacks
        if is_masked:
            spec["output_layer"] = True
        if self._type == "t5" and has_words and self._scales_output():
            spec["output_factor"] = self._width**-0.5
        spec["output_bias"] = has_words and self._has_output_bias()
        spec["generates"] = (
            "nothing"
            if not has_words
            else "text_from_text"
            if self._is_translator
            else "masked_words"
            if is_masked
            else "continuation"
        )
        return spec

    def _stack(self, stack: str, layers: int, heads: int, *, has_cross: bool) -> Json:
        config = self._sides[stack]
        groups = _first(config, "num_key_value_heads")
        if groups is None:
            groups = 1 if getattr(config, "multi_query", False) else heads
        own = _first(config, "head_dim", "d_kv") if not self._is_translator or self._type in ("t5", "mt5") else None
        is_causal = stack == "decoder"
        json: Json = {
            "layers": layers,
            "heads": heads,
            "key_value_heads": int(groups),
            "head_width": int(own or self._width // max(heads, 1)),
            "causal": is_causal,
            "cross_attention": has_cross,
        }
        json |= self._head_norms(heads, json["head_width"])
        attention = self._layer_attention(layers)
        if attention:
            json["layer_attention"] = attention
        if (
            getattr(config, "use_parallel_residual", False)
            or getattr(config, "parallel_attn", False)
            or self._type in ("gptj", "phi", "cohere")
        ):
            json["parallel"] = True
        placement = _PLACEMENTS.get(self._type)
        if placement is not None:
            is_root = hasattr(config, "rms_norm_eps") or self._type in ("t5", "mt5")
            json["norm"] = {
                "kind": "rms_norm" if is_root else "layer_norm",
                "placement": placement,
                "is_last": placement != "post",
            }
        network = self._network(stack, config)
        if network:
            json["feed_forward"] = network
        return json

    def _head_norms(self, heads: int, width: int) -> Json:
        """Norms of queries and keys: of each head, or of all together."""
        norm = next(
            (module for name, module in self._modules.items() if name.endswith((".q_norm", ".q_layernorm"))), None
        )
        weight = getattr(norm, "weight", None)
        if weight is None:
            return {}
        return {"whole_norm": True} if weight.numel() == heads * width and heads > 1 else {"head_norm": True}

    def _network(self, stack: str, config: Any) -> Json | None:
        width = _first(
            config,
            f"{stack}_ffn_dim",
            "intermediate_size",
            "d_ff",
            "n_inner",
            "ffn_dim",
            "hidden_dim",
            "ffn_hidden_size",
        )
        if width is None and self._type in ("gpt2", "gptj", "bloom"):
            width = 4 * self._width
        named = _first(config, "activation_function", "hidden_activation", "hidden_act", "dense_act_fn", "activation")
        activation = _ACTIVATIONS.get(named if isinstance(named, str) else "")
        modules = {name: module for name, module in self._modules.items() if not self._is_translator or stack in name}
        for pattern, gated in _NETWORKS:
            first = next((module for name, module in modules.items() if re.search(pattern, name)), None)
            if first is not None and width is not None and activation is not None:
                is_biased = getattr(first, "bias", None) is not None
                return {"width": int(width), "activation": activation, "gated": gated, "biased": is_biased}
        return None

    def _embedding_factor(self) -> float:
        if self._type.startswith("gemma"):
            return math.sqrt(self._width)
        return math.sqrt(self._width) if getattr(self._config, "scale_embedding", False) else 1.0

    def _scales_scores(self) -> bool:
        if self._type in ("t5", "mt5", "gpt_neo"):
            return False
        is_divided = bool(getattr(self._config, "scale_attn_weights", True))
        return is_divided or bool(getattr(self._config, "scale_attn_by_inverse_layer_idx", False))

    def _scales_output(self) -> bool:
        given = getattr(self._config, "scale_decoder_outputs", None)
        return bool(getattr(self._config, "tie_word_embeddings", True) if given is None else given)

    def _has_output_bias(self) -> bool:
        if getattr(self._model, "final_logits_bias", None) is not None:
            return True
        head = self._model.get_output_embeddings()
        return getattr(head, "bias", None) is not None

    def _positions(self) -> Json:
        config, names = self._sides["decoder"], self._modules
        if any(name.endswith("relative_attention_bias") for name in names) and hasattr(
            config, "relative_attention_num_buckets"
        ):
            count, furthest = (
                config.relative_attention_num_buckets,
                getattr(config, "relative_attention_max_distance", 128),
            )
            return {"encoding": "t5", "buckets": {"count": count, "furthest": furthest, "direction": "causal"}}
        if getattr(config, "alibi", False) or self._type in ("bloom", "mpt"):
            return {"encoding": "alibi"}
        if any("Sinusoidal" in type(module).__name__ for module in names.values()):
            layouts: dict[str, Json] = {
                "marian": {"layout": "halves"},
                "m2m_100": {"layout": "halves_to_base", "first": int(config.pad_token_id or 0) + 1},
            }
            return {"encoding": "sinusoidal", **layouts.get(self._type, {})}
        if any(map(_LEARNED.search, names)):
            return {"encoding": "learned"}
        if any(map(_ROTARY.search, names)) or self._rope():
            return {"encoding": "rope", **self._rope_facts()}
        return {"encoding": "none"}

    def _rope(self) -> Json:
        """RoPE's parameters; of layers of several types, those of full attention."""
        given: Json = (
            getattr(self._config, "rope_parameters", None) or getattr(self._config, "rope_scaling", None) or {}
        )
        full: Json | None = given.get("full_attention")
        return full or given

    def _rope_facts(self) -> Json:
        rope = self._rope()
        facts: Json = {}
        share = rope.get("partial_rotary_factor") or getattr(self._config, "partial_rotary_factor", None) or 1.0
        width = _first(self._config, "head_dim") or self._width // max(self._counts("decoder")[1], 1)
        if share != 1.0:
            facts["rotary_width"] = int(width * share)
        is_stretched = rope.get("rope_type", "default") != "default"
        layers = self._layer_attention(self._counts("decoder")[0])
        differ = any(not layer.get("rotates", True) or "rope_theta" in layer for layer in layers)
        theta = rope.get("rope_theta") or getattr(self._config, "rope_theta", None)
        if theta and share == 1.0 and not is_stretched and not differ:
            facts["rope_theta"] = float(theta)
        return facts

    def _layer_attention(self, layers: int) -> list[Json]:
        """What each layer's self-attention has of its own; empty if none has anything."""
        config = self._config
        types = getattr(config, "layer_types", None) or []
        window = _window(config, self._type)
        own = getattr(config, "rope_parameters", None) or {}
        full, local = ((own.get(f"{kind}_attention") or {}) for kind in ("full", "sliding"))
        thetas = [part.get("rope_theta") for part in (full, local)]
        differ = thetas[0] != thetas[1] and full.get("rope_type", "default") == "default" and None not in thetas
        scalar = getattr(config, "query_pre_attn_scalar", None)
        facts = []
        for layer in range(layers):
            slides = types[layer] == "sliding_attention" if layer < len(types) else self._type in ("mistral", "phi3")
            fact: Json = {}
            _put(fact, "window", window if slides else None)
            rotates = getattr(config, "no_rope_layers", None)
            if rotates and layer < len(rotates) and not rotates[layer]:
                fact["rotates"] = False
            if differ:
                fact["rope_theta"] = float(thetas[1 if slides else 0] or 0)
            if scalar and scalar != getattr(config, "head_dim", scalar):
                fact["divisor"] = math.sqrt(scalar)
            if getattr(config, "scale_attn_by_inverse_layer_idx", False):
                root = math.sqrt(self._width // config.num_attention_heads) if config.scale_attn_weights else 1.0
                fact["divisor"] = root * (layer + 1)
            if self._type == "modernbert" and layer == 0:
                fact["normalises"] = False
            facts.append({"rotates": True, "normalises": True} | fact)
        return facts if any(fact != {"rotates": True, "normalises": True} for fact in facts) else []


def _window(config: Any, model_type: str) -> int | None:
    """The keys that a query of a layer with a window sees, its own counted."""
    if model_type == "modernbert":
        return int(config.local_attention) // 2 + 1
    window = getattr(config, "sliding_window", None)
    return None if window is None else int(window)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _put(json: Json, key: str, value: Any) -> None:
    if value is not None:
        json[key] = value
