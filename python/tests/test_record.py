"""What `record` does with models, batches and settings."""

import json
import warnings

import numpy as np
import pytest
import torch
import transformers

import attention_scope
from attention_scope import (
    AttentionSwitched,
    EmptyText,
    InvalidInput,
    NoAttention,
    NotFinite,
    TextTooLong,
    record,
)
from conftest import REPOSITORY, TEXT, TINY, model_of, tokenizer_of


def test_fast_attention_is_switched_off_for_the_recording_and_back_after_it():
    model, tokenizer = model_of("llama-gqa", attn_implementation="sdpa"), tokenizer_of("llama-gqa")
    model.train()
    with pytest.warns(AttentionSwitched, match="LlamaForCausalLM attends by sdpa") as caught:
        fast = record(model, tokenizer, TEXT, max_new_tokens=3)
    assert caught[0].filename == __file__
    assert model.config._attn_implementation == "sdpa"
    assert all(module.training for module in model.modules())
    eager = record(model_of("llama-gqa"), tokenizer, TEXT, max_new_tokens=3)
    for name, array in eager.arrays.items():
        np.testing.assert_allclose(fast.arrays[name], array, atol=1e-6)


def test_the_model_is_as_before_after_an_error():
    model = model_of("llama-gqa", attn_implementation="sdpa")
    model.train()
    with torch.no_grad():
        model.model.layers[0].self_attn.q_proj.weight.fill_(float("nan"))
    with warnings.catch_warnings(), pytest.raises(NotFinite, match="layer 0"):
        warnings.simplefilter("ignore", AttentionSwitched)
        record(model, tokenizer_of("llama-gqa"), TEXT, max_new_tokens=0)
    assert model.config._attn_implementation == "sdpa"
    assert model.training


def test_every_part_of_a_composite_model_is_switched(quiet):
    encoder = transformers.BertConfig(
        vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    decoder = transformers.BertConfig(
        **encoder.to_diff_dict() | {"is_decoder": True, "add_cross_attention": True, "num_hidden_layers": 2}
    )
    config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id = config.pad_token_id = 0
    torch.manual_seed(1)
    model = transformers.EncoderDecoderModel(config).eval()
    model.generation_config.decoder_start_token_id = model.generation_config.pad_token_id = 0
    trace = record(model, tokenizer_of("bert-tiny"), [[3, 7, 9, 4]], max_new_tokens=3)
    assert trace.kinds == ("encoder_self", "decoder_self", "cross")
    assert (trace.spec["encoder"]["layers"], trace.spec["decoder"]["layers"]) == (1, 2)
    assert trace.pattern(1, 1, "cross").shape == (3, 4)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_weights_of_16_bits_become_f32(dtype):
    trace = record(model_of("llama-gqa", dtype=dtype), tokenizer_of("llama-gqa"), TEXT, max_new_tokens=2)
    for array in trace.arrays.values():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array.sum(-1), 1, atol=0.02)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", ["gpt2-tiny", "bert-tiny", "marian-tiny"])
def test_padding_of_a_batch_is_left_out(name, side):
    model, tokenizer = model_of(name), tokenizer_of(name)
    tokenizer.padding_side = side
    tokenizer.pad_token = tokenizer.convert_ids_to_tokens(model.config.pad_token_id or 0)
    batch = tokenizer(
        [TEXT, "stars", "a friend reads a long letter about tea in the street"], padding=True, return_tensors="pt"
    )
    alone, of_batch = (
        record(model, tokenizer, given, index=index, max_new_tokens=3) for given, index in ((TEXT, None), (batch, 0))
    )
    assert [token.id for token in alone.tokens] == [token.id for token in of_batch.tokens]
    for key, array in alone.arrays.items():
        np.testing.assert_allclose(of_batch.arrays[key], array, atol=1e-6)
    with pytest.raises(InvalidInput, match="3 texts: choose one"):
        record(model, tokenizer, batch)
    with pytest.raises(InvalidInput, match="index=3"):
        record(model, tokenizer, batch, index=3)


def test_a_mask_within_a_text_is_refused():
    batch = {"input_ids": [[5, 6, 7]], "attention_mask": [[1, 0, 1]]}
    with pytest.raises(InvalidInput, match="within the text"):
        record(model_of("gpt2-tiny"), tokenizer_of("gpt2-tiny"), batch)


def test_segments_of_a_pair_are_read():
    model, tokenizer = model_of("bert-tiny"), tokenizer_of("bert-tiny")
    pair = tokenizer("the dog", "my friend", return_tensors="pt", return_token_type_ids=True)
    assert pair["token_type_ids"].any()
    with torch.no_grad():
        expected = model(**pair, output_attentions=True).attentions[1][0].numpy()
    np.testing.assert_allclose(record(model, tokenizer, pair).arrays["encoder.1.self.pattern"], expected, atol=1e-6)


def test_sampling_is_repeated_by_its_seed():
    model, tokenizer = model_of("llama-gqa"), tokenizer_of("llama-gqa")

    def draw(seed):
        return record(model, tokenizer, TEXT, max_new_tokens=8, do_sample=True, temperature=1.5, top_k=20, seed=seed)

    state = torch.random.get_rng_state()
    first, second, other = draw(3), draw(3), draw(4)
    assert torch.equal(state, torch.random.get_rng_state())
    assert first.target == second.target != other.target
    assert first.decoding.search == {
        "kind": "sampling",
        "how": {"temperature": 1.5, "top_k": 20, "top_p": 1.0},
        "seed": 3,
    }


def test_kinds_are_chosen():
    model, tokenizer = model_of("marian-tiny"), tokenizer_of("marian-tiny")
    assert record(model, tokenizer, TEXT, max_new_tokens=2, kinds=["cross"]).kinds == ("cross",)
    with pytest.raises(ValueError, match="'crossed'"):
        record(model, tokenizer, TEXT, kinds=["crossed"])
    with pytest.raises(NoAttention, match="kinds cross"):
        record(model_of("gpt2-tiny"), tokenizer_of("gpt2-tiny"), TEXT, max_new_tokens=1, kinds=["cross"])


@pytest.mark.parametrize(
    "name",
    [
        "llama-gqa",
        "gpt2-tiny",
        "gpt-neox",
        "gemma2",
        "marian-tiny",
        "bart-tiny",
        "m2m-tiny",
        "t5-v1_0",
        "t5-v1_1",
        "bert-tiny",
        "modernbert-tiny",
        "distilbert-tiny",
        "roberta-tiny",
    ],
)
def test_the_lens_ends_with_the_models_own_prediction(name):
    trace = record(model_of(name), tokenizer_of(name), TEXT, max_new_tokens=4, lens=True)
    layers = trace.lens["layers"]
    stack = trace.spec["decoder"] if "decoder" in trace.spec else trace.spec["encoder"]
    assert len(layers) == stack["layers"] + 1
    assert {len(layer) for layer in layers} == {len(trace.lens["answers"])} == {len(trace.tokens)}
    for step in trace.decoding.steps if trace.decoding else ():
        reading = layers[-1][step.row]
        assert trace.lens["answers"][step.row]["id"] == step.chosen.token.id
        assert reading["words"][0]["token"]["id"] == step.candidates[0].token.id
        assert reading["probability"] == pytest.approx(step.chosen.probability, abs=1e-5)


LENSES = json.loads((REPOSITORY / "tests/fixtures/lens.json").read_text())["cases"]
# A target of NLLB begins with its language, which its tokenizer sets by the language of the target.
LENSES = [case for case in LENSES if (TINY / case["model"]).is_dir() and case["model"] != "nllb-tiny"]


@pytest.mark.parametrize("case", LENSES, ids=lambda case: case["model"])
def test_the_lens_is_that_of_the_reference(case):
    model = model_of(case["model"])
    settings = {"target": case["text"]} if model.config.is_encoder_decoder else {"max_new_tokens": 0}
    trace = record(model, tokenizer_of(case["model"]), case["text"], lens=True, **settings)
    assert [token["id"] for token in trace.lens["answers"]] == case["answers"]
    for ours, theirs in zip(trace.lens["layers"], case["layers"], strict=True):
        for place, reading in enumerate(ours):
            assert [word["probability"] for word in reading["words"]] == pytest.approx(
                theirs["probabilities"][place], abs=1e-4
            )
            assert reading["probability"] == pytest.approx(theirs["probability"][place], abs=1e-4)
            # Words that are equal but for rounding may change places.
            assert abs(reading["rank"] - theirs["rank"][place]) <= 1


def test_a_model_without_attention_is_refused():
    config = transformers.MambaConfig(vocab_size=128, hidden_size=16, num_hidden_layers=1, state_size=4)
    with pytest.raises(NoAttention, match="MambaForCausalLM returns no attention weights"):
        record(transformers.MambaForCausalLM(config), tokenizer_of("gpt2-tiny"), TEXT, max_new_tokens=1)


def test_a_model_that_does_not_read_text_is_refused():
    config = transformers.ViTConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, image_size=8, patch_size=4
    )
    with pytest.raises(InvalidInput, match="`pixel_values`"):
        record(transformers.ViTModel(config), tokenizer_of("gpt2-tiny"), TEXT)
    with pytest.raises(InvalidInput, match="not str"):
        record("gpt2", tokenizer_of("gpt2-tiny"), TEXT)


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\ufeff"])
def test_an_empty_text_is_refused(text):
    with pytest.raises(EmptyText, match="empty"):
        record(model_of("gpt2-tiny"), tokenizer_of("gpt2-tiny"), text)


def test_what_is_no_text_is_refused():
    model, tokenizer = model_of("gpt2-tiny"), tokenizer_of("gpt2-tiny")
    for given in ([], [[]], torch.zeros(1, 0, dtype=torch.long), {"input_ids": [[1]], "attention_mask": [[0]]}):
        with pytest.raises(EmptyText):
            record(model, tokenizer, given)
    for given in (None, 3.5, [0.5], {"pixel_values": 1}, {"input_ids": [[1, 2]], "attention_mask": [[1]]}):
        with pytest.raises(InvalidInput):
            record(model, tokenizer, given)
    with pytest.raises(InvalidInput, match="one of them"):
        record(model, tokenizer, TEXT, messages=[{"role": "user", "content": TEXT}])
    with pytest.raises(InvalidInput, match="no chat template"):
        record(model, tokenizer, messages=[{"role": "user", "content": TEXT}])
    with pytest.raises(InvalidInput, match="has number 100000"):
        record(model, tokenizer, [[1, 100000]])
    with pytest.raises(InvalidInput, match="takes no `target`"):
        record(model_of("bert-tiny"), tokenizer_of("bert-tiny"), TEXT, target="no")


def test_a_text_that_is_too_long_is_refused_before_the_pass(monkeypatch):
    model, tokenizer = model_of("gpt2-tiny"), tokenizer_of("gpt2-tiny")
    with pytest.raises(TextTooLong, match="reads at most 64"):
        record(model, tokenizer, [[5] * 64])
    assert len(record(model, tokenizer, [[5] * 60]).decoding.steps) <= 4
    monkeypatch.setattr(attention_scope.recording, "MOST_BYTES", 1000)
    with pytest.raises(TextTooLong, match="record a shorter text"):
        record(model, tokenizer, TEXT)


def test_the_origin_names_the_model_and_never_a_path():
    trace = record(model_of("llama-gqa"), tokenizer_of("llama-gqa"), TEXT, max_new_tokens=1)
    assert trace.origin["model"] == "llama-gqa"
    assert trace.origin["text"] == TEXT
    assert (
        record(model_of("llama-gqa"), tokenizer_of("llama-gqa"), TEXT, max_new_tokens=0, name="mine").origin["model"]
        == "mine"
    )


def test_the_model_may_be_compiled(quiet):
    model = model_of("gpt2-tiny")
    compiled = torch.compile(model)
    assert record(compiled, tokenizer_of("gpt2-tiny"), TEXT, max_new_tokens=1).kinds == ("decoder_self",)
