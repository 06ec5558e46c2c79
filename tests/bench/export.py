"""Makes what the bench measures: each model as a checkpoint for our engine and, from the very same
weights, as ONNX graphs for onnxruntime-web and transformers.js.

    pip install -r requirements.txt
    python export.py OUT MODEL...

A model is `tiny`, `small`, `translator` (the shipped one), or `growth` (checkpoints that differ in
their number of layers). Every graph is checked against PyTorch before it counts as made.
"""

import argparse
import json
import logging
import shutil
import warnings
from pathlib import Path

import numpy
import onnxruntime
import torch
from checkpoints import GROWTH_LAYERS, SIZES, write_llama
from graphs import (
    LlamaCached,
    LlamaWhole,
    MarianCached,
    MarianEncoder,
    MarianWhole,
    fuse_norms,
)
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM, MarianMTModel

SHIPPED = Path(__file__).parents[2] / "assets" / "models" / "translator"
OPSET = 20
SEED = 20261121
# Two sentences of the length that people type; what they become is known beforehand, so that both
# sides read the same target.
SENTENCES = [
    "Je voudrais apprendre comment les machines traduisent les phrases.",
    "我每天早上都喜欢喝一杯茶。",
]
LONGEST = 64
# A wrong graph is off by far more; sums in another order are off by less.
TOLERANCE = 2e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("models", nargs="+", choices=[*SIZES, "translator", "growth"])
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(SEED)
    for name in options.models:
        if name == "translator":
            translator(options.out / name)
        elif name == "growth":
            for layers in GROWTH_LAYERS:
                sizes = SIZES["tiny"] | {"num_hidden_layers": layers}
                write_llama(options.out / f"growth-{layers}", sizes, SEED)
        else:
            llama(options.out / name, SIZES[name])


def llama(directory, sizes):
    """The decoder-only model: one graph for a whole sequence, one that continues from a cache."""
    write_llama(directory, sizes, SEED)
    model = load(LlamaForCausalLM, directory)
    fuse_norms(model)
    sample = torch.randint(2, sizes["vocab_size"], (1, 12))

    whole = LlamaWhole(model)
    export(directory / "forward.onnx", whole, [sample], [{1: "n"}])
    compare(directory / "forward.onnx", whole, [sample[:, :7]])

    cached = LlamaCached(model)
    past = cached.empty_past(length=5)
    export(
        directory / "onnx" / "model.onnx",
        cached,
        [sample[:, :3], *past],
        [{1: "n"}, *[{2: "past"}] * len(past)],
    )
    # The two calls that decoding consists of: the prompt after nothing, then one token at a time.
    for new, length in [(9, 0), (1, 9)]:
        inputs = [sample[:, :new], *cached.empty_past(length)]
        compare(directory / "onnx" / "model.onnx", cached, inputs)


def translator(directory):
    """The shipped encoder–decoder; the cached decoder takes the encoder's keys and values."""
    for name in ["config.json", "model.safetensors", "tokenizer.json"]:
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SHIPPED / name, directory / name)
    model = load(MarianMTModel, directory)
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    cases = [sentence(model, tokenizer, text) for text in SENTENCES]
    config = model.config
    write_json(
        directory / "bench.json",
        {
            "family": "marian",
            "start": config.decoder_start_token_id,
            "forced_end": model.generation_config.forced_eos_token_id,
            "end": config.eos_token_id,
            "banned": [config.pad_token_id],
            "encoder_layers": config.encoder_layers,
            "decoder_layers": config.decoder_layers,
            "heads": config.decoder_attention_heads,
            "head_dim": config.d_model // config.decoder_attention_heads,
            "parameters": sum(p.numel() for p in model.parameters()),
            "sentences": cases,
        },
    )
    source = torch.tensor([cases[0]["source"]])
    target = torch.tensor([cases[0]["target"]])

    whole = MarianWhole(model)
    export(directory / "forward.onnx", whole, [source, target], [{1: "m"}, {1: "n"}])
    compare(directory / "forward.onnx", whole, [source[:, :4], target[:, :6]])

    encoder = MarianEncoder(model)
    export(directory / "encoder.onnx", encoder, [source], [{1: "m"}])
    compare(directory / "encoder.onnx", encoder, [source[:, :4]])

    cached = MarianCached(model)
    cross = list(encoder(source))
    past = cached.empty_past(length=5)
    dynamic = [{1: "n"}, *[{2: "m"}] * len(cross), *[{2: "past"}] * len(past)]
    export(directory / "decoder.onnx", cached, [target[:, :3], *cross, *past], dynamic)
    for new, length in [(1, 0), (1, 4)]:
        inputs = [target[:, :new], *cross, *cached.empty_past(length)]
        compare(directory / "decoder.onnx", cached, inputs)


@torch.no_grad()
def sentence(model, tokenizer, text):
    """A text, its tokens, and the target that greedy decoding finds for it."""
    source = tokenizer.encode(text).ids
    found = model.generate(
        torch.tensor([source]), num_beams=1, do_sample=False, max_new_tokens=LONGEST
    )[0].tolist()
    # The last token is predicted, never read.
    return {"text": text, "source": source, "target": found[:-1], "greedy": found[1:]}


def load(family, directory):
    model = family.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")
    return model.eval()


@torch.no_grad()
def export(path, module, inputs, dynamic):
    """Writes `module` as an ONNX graph whose dimensions in `dynamic` (one dict an input) are free."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = sorted({name for axes in dynamic for name in axes.values()})
    dimensions = {name: torch.export.Dim(name, min=1, max=2000) for name in names}
    axes = [{axis: dimensions[name] for axis, name in given.items()} for given in dynamic]
    first, rest = module.split(axes)
    torch.onnx.export(
        module,
        tuple(inputs),
        dynamo=True,
        verbose=False,
        dynamic_shapes=(*first, tuple(rest)) if rest else tuple(first),
        input_names=module.input_names(),
        output_names=module.output_names(),
        opset_version=OPSET,
        external_data=False,
    ).save(path)


@torch.no_grad()
def compare(path, module, inputs):
    """Runs the graph at `path` and `module` on `inputs`.

    Raises if an output is not the same, so that no wrong graph is ever measured."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    feeds = {
        name: tensor.numpy() for name, tensor in zip(module.input_names(), inputs, strict=True)
    }
    expected = module(*inputs)
    found = session.run(module.output_names(), feeds)
    worst = 0.0
    for name, ours, theirs in zip(module.output_names(), found, expected, strict=True):
        if ours.shape != tuple(theirs.shape):
            raise SystemExit(f"{path}: {name} is {ours.shape}, PyTorch's {tuple(theirs.shape)}")
        worst = max(worst, float(numpy.abs(ours - theirs.numpy()).max()))
    print(f"{path.parent.name}/{path.name}: largest difference from PyTorch {worst:.1e}")
    if not worst < TOLERANCE:
        raise SystemExit(f"{path} does not compute what PyTorch computes")


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
