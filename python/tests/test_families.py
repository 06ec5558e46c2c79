"""`record` computes what `attn trace` computes of the same checkpoint, for every family."""

import json
import math
import subprocess

import numpy as np
import pytest
import transformers

from attention_scope import record
from conftest import REPOSITORY, TEXT, TINY, model_of, tokenizer_of, traced

WRITERS = """llama-tiny llama-gqa llama-bias llama-linear llama-llama3 llama-yarn llama-one-layer mistral qwen2 qwen2-window qwen3 smollm3 olmo2 gemma2
gemma3 gemma3-scalar phi3 gpt-neox gpt-neox-serial gpt2-tiny gpt2-one-layer gpt2-inverse gpt2-unscaled marian-tiny marian-gelu bart-tiny
bart-untied m2m-tiny t5-v1_0 t5-v1_1 mt5 padded-vocabulary""".split()
MASKED = "bert-tiny bert-relu roberta-tiny xlm-roberta-untied distilbert-tiny modernbert-tiny modernbert-biased".split()
SILENT = "bert-encoder bert-classifier camembert-encoder distilbert-questions modernbert-encoder modernbert-classifier".split()
STRANGERS = "the 猫 likes honey, bread & 🐕!"
TOLERANCE = 1e-4
LOGITS = 1e-3


def settings_of(model):
    """What checkpoints of a family have in a file that the tiny ones lack: Marian never writes padding."""
    return {"bad_words_ids": [[model.config.pad_token_id]]} if model.config.model_type == "marian" else {}


def without_defaults(value):
    """The description without what its format defaults to, numbers as f32."""
    defaults = {
        "segments": 0,
        "embedding_norm": False,
        "output_layer": False,
        "output_factor": 1.0,
        "head_norm": False,
        "whole_norm": False,
        "parallel": False,
        "rotates": True,
        "normalises": True,
        "layer_attention": [],
    }
    if isinstance(value, dict):
        return {
            key: without_defaults(part) for key, part in value.items() if key not in defaults or part != defaults[key]
        }
    if isinstance(value, list):
        return [without_defaults(part) for part in value]
    return float(np.float32(value)) if isinstance(value, float) else value


def same(ours, theirs):
    """Both traces have the same tokens, the same weights and the same probabilities."""
    assert ours.entries["trace"].get("pieces") == theirs.entries["trace"].get("pieces")
    assert (ours.source, ours.target) == (theirs.source, theirs.target)
    assert ours.arrays.keys() == theirs.arrays.keys()
    for name, array in theirs.arrays.items():
        assert ours.arrays[name].dtype == np.float32
        np.testing.assert_allclose(ours.arrays[name], array, atol=TOLERANCE, rtol=0, err_msg=name)
    assert without_defaults(ours.spec) == without_defaults(theirs.spec)
    assert (ours.decoding is None) == (theirs.decoding is None)
    if ours.decoding and theirs.decoding:
        assert ours.decoding.search == theirs.decoding.search
        same_hypotheses(ours.decoding, theirs.decoding)
        assert len(ours.decoding.steps) == len(theirs.decoding.steps)
        for own, other in zip(ours.decoding.steps, theirs.decoding.steps, strict=True):
            assert (own.row, own.forced, own.chosen.token) == (other.row, other.forced, other.chosen.token)
            same_candidates([own.chosen, *own.candidates], [other.chosen, *other.candidates])
    assert [guess.place for guess in ours.guesses] == [guess.place for guess in theirs.guesses]
    for own, other in zip(ours.guesses, theirs.guesses, strict=True):
        same_candidates(own.candidates, other.candidates)


def same_hypotheses(ours, theirs):
    assert [found.tokens for found in ours.hypotheses] == [found.tokens for found in theirs.hypotheses]
    for own, other in zip(ours.hypotheses, theirs.hypotheses, strict=True):
        assert own.text == other.text
        assert math.isclose(own.log_probability, other.log_probability, abs_tol=LOGITS)
        assert math.isclose(own.score, other.score, abs_tol=LOGITS)


def same_candidates(ours, theirs):
    assert len(ours) == len(theirs)
    for own, other in zip(ours, theirs, strict=True):
        assert math.isclose(own.logit, other.logit, abs_tol=LOGITS)
        assert math.isclose(own.log_probability, other.log_probability, abs_tol=LOGITS)
        # Two that are equal but for rounding may change places.
        ties = [it.token for it in theirs if abs(it.logit - own.logit) < LOGITS]
        assert own.token in ties


@pytest.mark.parametrize("name", WRITERS)
def test_a_model_that_writes(name, attn, tmp_path):
    model = model_of(name)
    theirs = traced(attn, TINY / name, tmp_path / "attn.safetensors", "--text", TEXT, "--max-new-tokens", "12")
    ours = record(model, tokenizer_of(name), TEXT, max_new_tokens=12, **settings_of(model))
    assert ours.decoding is not None
    same(ours, theirs)


@pytest.mark.parametrize("name", MASKED)
def test_a_model_that_guesses_masked_words(name, attn, tmp_path):
    tokenizer = tokenizer_of(name)
    mask = next(piece for piece in ("[MASK]", "<mask>") if piece in tokenizer.get_vocab())
    text = f"The old {mask} sits in the {mask}."
    theirs = traced(attn, TINY / name, tmp_path / "attn.safetensors", "--text", text)
    ours = record(model_of(name), tokenizer, text)
    assert len(ours.guesses) == 2
    same(ours, theirs)


@pytest.mark.parametrize("name", SILENT)
def test_a_model_without_a_head_of_words(name, attn, tmp_path):
    theirs = traced(attn, TINY / name, tmp_path / "attn.safetensors", "--text", TEXT)
    same(record(model_of(name), tokenizer_of(name), TEXT), theirs)


@pytest.mark.parametrize("name", ["marian-tiny", "gpt2-tiny", "bert-tiny", "t5-v1_1", "llama-tiny"])
def test_unknown_characters_and_bytes(name, attn, tmp_path):
    model = model_of(name)
    theirs = traced(attn, TINY / name, tmp_path / "attn.safetensors", "--text", STRANGERS, "--max-new-tokens", "4")
    same(record(model, tokenizer_of(name), STRANGERS, max_new_tokens=4, **settings_of(model)), theirs)


@pytest.mark.parametrize("name", ["marian-tiny", "t5-v1_0", "bart-tiny", "llama-gqa", "gpt2-tiny"])
def test_a_given_target(name, attn, tmp_path):
    theirs = traced(attn, TINY / name, tmp_path / "attn.safetensors", "--text", TEXT, "--target", "the red boat")
    ours = record(model_of(name), tokenizer_of(name), TEXT, target="the red boat")
    assert ours.decoding and all(step.forced for step in ours.decoding.steps)
    same(ours, theirs)


@pytest.mark.parametrize("name", ["marian-tiny", "llama-gqa", "gpt2-tiny", "t5-v1_1"])
def test_beam_search(name, attn, tmp_path):
    model = model_of(name)
    arguments = ["--text", TEXT, "--max-new-tokens", "6", "--beam", "3", "--alpha", "0.75"]
    theirs = traced(attn, TINY / name, tmp_path / "attn.safetensors", *arguments)
    ours = record(
        model, tokenizer_of(name), TEXT, max_new_tokens=6, num_beams=3, length_penalty=0.75, **settings_of(model)
    )
    assert ours.decoding and theirs.decoding and len(ours.decoding.hypotheses) == 3
    assert ours.decoding.search == theirs.decoding.search
    assert ours.decoding.hypotheses[0].tokens == theirs.decoding.hypotheses[0].tokens
    assert math.isclose(ours.decoding.hypotheses[0].score, theirs.decoding.hypotheses[0].score, abs_tol=LOGITS)


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_a_tokenizer_of_sentencepiece(attn, tmp_path):
    """Marian as it is published, whose tokenizer is no `tokenizer.json`."""
    directory = REPOSITORY / "tests/fixtures/marian-spm"
    model = transformers.MarianMTModel.from_pretrained(directory, attn_implementation="eager")
    tokenizer = transformers.MarianTokenizer.from_pretrained(directory)
    for number, text in enumerate([TEXT, "the 猫犬 likes honey", "of the target"]):
        out = tmp_path / f"{number}.safetensors"
        theirs = traced(attn, directory, out, "--text", text, "--max-new-tokens", "5")
        ours = record(model, tokenizer, text, max_new_tokens=5, **settings_of(model))
        same(ours, theirs)


def test_a_conversation(attn, tmp_path):
    directory = TINY / "llama-chat"
    messages = [{"role": "system", "content": "you are a dog"}, {"role": "user", "content": TEXT}]
    arguments = ["--chat", "--system", "you are a dog", "--text", TEXT, "--max-new-tokens", "5"]
    theirs = traced(attn, directory, tmp_path / "attn.safetensors", *arguments)
    tokenizer = tokenizer_of("llama-chat")
    ours = record(model_of("llama-chat"), tokenizer, messages=messages, max_new_tokens=5)
    same(ours, theirs)
    assert record(model_of("llama-chat"), tokenizer, messages, max_new_tokens=5).target == ours.target


@pytest.mark.parametrize("name", ["llama-gqa", "marian-tiny", "bert-tiny", "t5-v1_0", "gemma2"])
def test_attn_reads_what_the_package_writes(name, attn, tmp_path):
    model = model_of(name)
    trace = record(model, tokenizer_of(name), TEXT, max_new_tokens=4, lens=name == "llama-gqa")
    path = trace.save(tmp_path / "python.safetensors")
    page = tmp_path / "attn.html"
    done = subprocess.run(
        [attn, "export", "--trace", path, "--html", page], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    read = type(trace).load(page)
    assert read.arrays.keys() == trace.arrays.keys()
    for name, array in trace.arrays.items():
        np.testing.assert_array_equal(read.arrays[name], array)
    assert read.entries["decoding" if trace.decoding else "trace"].keys() >= {"steps"} if trace.decoding else True
    assert (read.source, read.target) == (trace.source, trace.target)
    assert without_defaults(json.loads(json.dumps(read.spec))) == without_defaults(json.loads(json.dumps(trace.spec)))


@pytest.mark.parametrize(
    "name", ["llama-gqa", "gpt2-tiny", "gemma2", "marian-tiny", "t5-v1_0", "m2m-tiny", "bert-tiny"]
)
def test_the_lens(name, attn, tmp_path):
    model = model_of(name)
    arguments = ["--text", TEXT, "--max-new-tokens", "4", "--lens", "5"]
    theirs = traced(attn, TINY / name, tmp_path / "attn.safetensors", *arguments)
    ours = record(model, tokenizer_of(name), TEXT, max_new_tokens=4, lens=True, **settings_of(model))
    assert ours.lens["answers"] == theirs.lens["answers"]
    for own, other in zip(ours.lens["layers"], theirs.lens["layers"], strict=True):
        for reading, expected in zip(own, other, strict=True):
            assert reading["words"][0]["token"] == expected["words"][0]["token"]
            assert reading["probability"] == pytest.approx(expected["probability"], abs=TOLERANCE)
            probabilities = [word["probability"] for word in expected["words"]]
            assert [word["probability"] for word in reading["words"]] == pytest.approx(probabilities, abs=TOLERANCE)
