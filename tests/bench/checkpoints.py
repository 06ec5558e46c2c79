"""Llama checkpoints with random weights, in Hugging Face's layout."""

import json

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

# `tiny` is what a page about Transformers shows; `small` has GPT-2 small's sizes, its two-matrix
# feed-forward network of 3,072 being as many weights as three of 2,048.
SIZES = {
    "tiny": {
        "vocab_size": 8_000,
        "hidden_size": 384,
        "intermediate_size": 1_024,
        "num_hidden_layers": 6,
        "num_attention_heads": 6,
    },
    "small": {
        "vocab_size": 50_257,
        "hidden_size": 768,
        "intermediate_size": 2_048,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
    },
}
GROWTH_LAYERS = [2, 4, 6, 8, 10, 12]
LONGEST = 2_048
UNKNOWN, END = 0, 1


def write_llama(directory, sizes, seed):
    """Writes config.json, model.safetensors (f32), tokenizer.json and bench.json."""
    directory.mkdir(parents=True, exist_ok=True)
    config = LlamaConfig(
        num_key_value_heads=sizes["num_attention_heads"],
        max_position_embeddings=LONGEST,
        tie_word_embeddings=True,
        bos_token_id=END,
        eos_token_id=END,
        pad_token_id=None,
        rms_norm_eps=1e-6,
        **sizes,
    )
    model = LlamaForCausalLM(config)
    randomise(model, seed)
    model.save_pretrained(directory, max_shard_size="10GB")
    tokenizer(sizes["vocab_size"]).save(str(directory / "tokenizer.json"))
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(2, sizes["vocab_size"], (LONGEST,), generator=generator).tolist()
    described = {
        "family": "llama",
        "end": END,
        "decoder_layers": sizes["num_hidden_layers"],
        "heads": sizes["num_attention_heads"],
        "head_dim": sizes["hidden_size"] // sizes["num_attention_heads"],
        "hidden": sizes["hidden_size"],
        "inner": sizes["intermediate_size"],
        "vocabulary": sizes["vocab_size"],
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "tokens": tokens,
    }
    (directory / "bench.json").write_text(json.dumps(described) + "\n")


@torch.no_grad()
def randomise(model, seed):
    """Weights that behave like trained ones: scores of a few units, so that attention is neither
    flat nor one-hot, and logits of a few units, so that the best token is the best by far.

    Gains of either sign keep a model with tied embeddings from repeating its input."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if "embed_tokens" in name:
            parameter.copy_(noise * 3 * parameter.shape[-1] ** -0.5)
            # Its logit is always zero, and somewhere there is always a better one.
            parameter[END] = 0
        elif parameter.dim() > 1:
            parameter.copy_(noise * 1.2 * parameter.shape[-1] ** -0.5)
        else:
            parameter.copy_(noise.sign() + 0.2 * noise)


def tokenizer(vocabulary):
    """Words are the tokens' numbers: the text `17 4` is the tokens 17 and 4."""
    words = {str(token): token for token in range(2, vocabulary)}
    words |= {"<unk>": UNKNOWN, "</s>": END}
    made = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made
