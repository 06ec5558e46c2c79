"""The forward passes that are exported: transformers' own models, inputs and outputs in a row.

Outputs carry the names that our traces give the same arrays.
"""

import torch
from torch import nn
from transformers import DynamicCache, EncoderDecoderCache


def fuse_norms(model):
    """Writes RMSNorm as x / √(mean x² + ε), the form that onnxruntime turns into its one operator
    for it; transformers' x · rsqrt(…) is exported as six operators, which would be slower there."""

    def forward(self, x):
        square = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x / torch.sqrt(square + self.variance_epsilon))

    for module in model.modules():
        if type(module).__name__ == "LlamaRMSNorm":
            type(module).forward = forward
            return


def flat(cache):
    """Keys and values of a cache, layer by layer."""
    return [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]


def filled(tensors):
    """The cache that `flat` makes `tensors` of."""
    cache = DynamicCache()
    for layer in range(len(tensors) // 2):
        cache.update(tensors[2 * layer], tensors[2 * layer + 1], layer)
    return cache


def cache_names(prefix, layers, which=""):
    return [
        f"{prefix}.{layer}{which}.{part}" for layer in range(layers) for part in ("key", "value")
    ]


class Graph(nn.Module):
    """A model and the names of a graph's inputs and outputs."""

    # How many inputs `forward` names; the others are its `*rest`.
    named = 1

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.config = model.config

    def split(self, axes):
        return axes[: self.named], axes[self.named :]

    def past(self, layers, heads, width, length):
        generator = torch.Generator().manual_seed(length)
        shape = (1, heads, length, width)
        return [torch.randn(shape, generator=generator) for _ in range(2 * layers)]


class LlamaWhole(Graph):
    """Tokens to all logits and every layer's attention."""

    def forward(self, input_ids):
        output = self.model(input_ids=input_ids, output_attentions=True, use_cache=False)
        return (output.logits, *output.attentions)

    def input_names(self):
        return ["input_ids"]

    def output_names(self):
        layers = range(self.config.num_hidden_layers)
        return ["logits", *[f"decoder.{layer}.self.pattern" for layer in layers]]


class LlamaCached(Graph):
    """Tokens and the cache before them to the last token's logits and the cache after it."""

    def forward(self, input_ids, *past):
        output = self.model(
            input_ids=input_ids, past_key_values=filled(past), use_cache=True, logits_to_keep=1
        )
        return (output.logits, *flat(output.past_key_values))

    def empty_past(self, length):
        """Keys and values of `length` tokens; noise, where there are any."""
        config = self.config
        width = config.hidden_size // config.num_attention_heads
        return self.past(config.num_hidden_layers, config.num_attention_heads, width, length)

    def input_names(self):
        return ["input_ids", *cache_names("past_key_values", self.config.num_hidden_layers)]

    def output_names(self):
        return ["logits", *cache_names("present", self.config.num_hidden_layers)]


class MarianWhole(Graph):
    """Source and target to all logits and all three kinds of attention."""

    named = 2

    def forward(self, input_ids, decoder_input_ids):
        output = self.model(
            input_ids=input_ids,
            decoder_input_ids=decoder_input_ids,
            output_attentions=True,
            use_cache=False,
        )
        return (
            output.logits,
            *output.encoder_attentions,
            *output.decoder_attentions,
            *output.cross_attentions,
        )

    def input_names(self):
        return ["input_ids", "decoder_input_ids"]

    def output_names(self):
        def names(stack, layers, module):
            return [f"{stack}.{layer}.{module}.pattern" for layer in range(layers)]

        encoder, decoder = self.config.encoder_layers, self.config.decoder_layers
        return [
            "logits",
            *names("encoder", encoder, "self"),
            *names("decoder", decoder, "self"),
            *names("decoder", decoder, "cross"),
        ]


class MarianEncoder(Graph):
    """Source to the keys and values that every decoder layer's cross-attention reads."""

    def forward(self, input_ids):
        states = self.model.get_encoder()(input_ids=input_ids).last_hidden_state
        heads, width = self.config.decoder_attention_heads, self.config.d_model
        split = (1, -1, heads, width // heads)
        memory = []
        for layer in self.model.get_decoder().layers:
            attention = layer.encoder_attn
            for project in (attention.k_proj, attention.v_proj):
                memory.append(project(states).view(split).transpose(1, 2))
        return tuple(memory)

    def input_names(self):
        return ["input_ids"]

    def output_names(self):
        return cache_names("memory", self.config.decoder_layers)


class MarianCached(Graph):
    """Target tokens, the encoder's keys and values and the cache to the last token's logits."""

    def forward(self, input_ids, *caches):
        config = self.config
        count = 2 * config.decoder_layers
        memory, past = caches[:count], caches[count:]
        cache = EncoderDecoderCache(filled(past), filled(memory))
        # Never read, since the cache has their keys and values; only their length counts.
        states = memory[0].new_zeros(1, memory[0].shape[2], config.d_model)
        output = self.model.get_decoder()(
            input_ids=input_ids,
            encoder_hidden_states=states,
            past_key_values=cache,
            use_cache=True,
        )
        logits = self.model.lm_head(output.last_hidden_state[:, -1:]) + self.model.final_logits_bias
        return (logits, *flat(output.past_key_values.self_attention_cache))

    def empty_past(self, length):
        """Keys and values of `length` tokens; noise, where there are any."""
        config = self.config
        heads = config.decoder_attention_heads
        return self.past(config.decoder_layers, heads, config.d_model // heads, length)

    def input_names(self):
        layers = self.config.decoder_layers
        return ["input_ids", *cache_names("memory", layers), *cache_names("past", layers)]

    def output_names(self):
        return ["logits", *cache_names("present", self.config.decoder_layers)]
