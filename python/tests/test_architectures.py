"""`record` reads models of families that `attn` does not have, with random weights."""

import numpy as np
import pytest
import torch
import transformers

from attention_scope import InvalidInput, NoAttention, Trace, record
from conftest import tokenizer_of

SMALL = {
    "vocab_size": 128,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
TRANSLATOR = {
    "vocab_size": 128,
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 24,
    "pad_token_id": 0,
    "decoder_start_token_id": 1,
    "eos_token_id": 2,
}
DECODERS = {
    "OPT": {"ffn_dim": 24, "word_embed_proj_dim": 16, "max_position_embeddings": 32},
    "Bloom": {"n_layer": 2, "n_head": 2},
    "Falcon": {"alibi": False, "new_decoder_architecture": True, "num_kv_heads": 1},
    "GPTJ": {"n_embd": 16, "n_layer": 2, "n_head": 2, "rotary_dim": 4, "n_positions": 32},
    "GPTBigCode": {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 32, "multi_query": True},
    "Gemma": {"num_key_value_heads": 1, "head_dim": 8},
    "Mixtral": {"num_key_value_heads": 1, "num_local_experts": 2},
    "Phi": {},
    "StableLm": {"num_key_value_heads": 2},
    "Starcoder2": {"num_key_value_heads": 1},
    "Cohere": {},
    "Granite": {},
}
ENCODERS = {
    "Albert": {"embedding_size": 8},
    "Electra": {"embedding_size": 8},
    "DebertaV2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "MPNet": {},
    "RoFormer": {},
}
TRANSLATORS = {"Pegasus": {}, "MBart": {}, "BlenderbotSmall": {}, "Blenderbot": {}}
NUMBERS = [[5, 17, 40, 9, 33]]


def made(family: str, ending: str, settings: dict):
    """A model of a family with random weights."""
    torch.manual_seed(7)
    config = getattr(transformers, f"{family}Config")(**settings)
    return getattr(transformers, f"{family}{ending}")(config).eval()


def recorded(model, **settings) -> Trace:
    trace = record(model, tokenizer_of("gpt2-tiny"), NUMBERS, **settings)
    for name, array in trace.arrays.items():
        np.testing.assert_allclose(array.sum(-1), 1, atol=1e-5, err_msg=name)
    return Trace.from_bytes(trace.to_bytes())


@pytest.mark.parametrize("family", DECODERS)
def test_decoders(family, quiet):
    trace = recorded(made(family, "ForCausalLM", SMALL | DECODERS[family]), max_new_tokens=3)
    assert trace.kinds == ("decoder_self",)
    assert trace.spec["generates"] == "continuation"
    assert (trace.spec["decoder"]["layers"], trace.spec["decoder"]["heads"]) == (2, 2)
    assert len(trace.target) == 5 + len(trace.decoding.steps) - 1
    assert [step.chosen.token for step in trace.decoding.steps][:-1] == trace.target[5:]
    assert all(step.chosen.token == step.candidates[0].token for step in trace.decoding.steps)


@pytest.mark.parametrize("family", ENCODERS)
def test_encoders(family, quiet):
    trace = recorded(made(family, "ForMaskedLM", SMALL | ENCODERS[family]))
    assert trace.kinds == ("encoder_self",)
    assert trace.spec["generates"] == "masked_words"
    assert trace.spec["encoder"]["causal"] is False


@pytest.mark.parametrize("family", TRANSLATORS)
def test_translators(family, quiet):
    trace = recorded(made(family, "ForConditionalGeneration", TRANSLATOR | TRANSLATORS[family]), max_new_tokens=3)
    assert trace.kinds == ("encoder_self", "decoder_self", "cross")
    assert (trace.spec["encoder"]["layers"], trace.spec["decoder"]["layers"]) == (1, 2)
    assert trace.target[0].id == 1


@pytest.mark.parametrize(("family", "ending"), [("GPT2", "Model"), ("Bert", "Model"), ("OPT", "Model")])
def test_models_without_a_head(family, ending, quiet):
    settings = {"OPT": DECODERS["OPT"], "GPT2": {"n_embd": 16, "n_layer": 2, "n_head": 2}, "Bert": {}}[family]
    trace = recorded(made(family, ending, SMALL | settings))
    assert trace.decoding is None
    assert trace.spec["generates"] == "nothing"
    assert trace.kinds == (("encoder_self",) if family == "Bert" else ("decoder_self",))


def test_a_model_that_attends_in_some_layers_only_is_refused(quiet):
    settings = {"attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False, "num_key_value_heads": 1}
    model = made("Jamba", "ForCausalLM", SMALL | settings | {"num_experts": 1, "mamba_d_state": 4, "mamba_dt_rank": 4})
    with pytest.raises(NoAttention, match="1 of its 2 layers"):
        recorded(model, max_new_tokens=0)


def test_maps_that_are_not_queries_by_keys_are_refused(quiet):
    model = made("Longformer", "ForMaskedLM", SMALL | {"attention_window": 4, "max_position_embeddings": 40})
    # A window of four on each side of five tokens: the weights have the shape of a map.
    with pytest.raises(NoAttention, match="by distance within a window"):
        recorded(model)


def test_a_model_of_sounds_is_refused():
    model = made("Whisper", "ForConditionalGeneration", TRANSLATOR | {"max_source_positions": 8})
    with pytest.raises(InvalidInput, match="`input_features`"):
        recorded(model)
