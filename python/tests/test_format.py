"""`docs/trace-format.md` says what is in a trace: a reader that knows nothing else reads what `attn` writes."""

import json
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file

from attention_scope import Trace
from conftest import REPOSITORY, TEXT, TINY, traced

READER = REPOSITORY / "docs/examples/read_trace.py"
DOCUMENT = (REPOSITORY / "docs/trace-format.md").read_text(encoding="utf-8")
EXAMPLE = REPOSITORY / "assets/examples/je-suis-etudiant.safetensors"
read = runpy.run_path(str(READER))["read"]


def agree(path, steps: int, masked: int):
    """The reader finds what the package finds."""
    trace = Trace.load(path)
    maps, found, guesses, lens, edits = read(path)
    assert sum(len(weights) for _, _, weights in maps.values()) == len(trace.heads) > 0
    for head in trace.heads:
        stack, sublayer = ("encoder", "self") if head.kind == "encoder_self" else ("decoder", head.kind.split("_")[-1])
        queries, keys, weights = maps[f"{stack}.{head.layer}.{sublayer}.pattern"]
        assert [queries, keys] == [[token.text for token in side] for side in trace.axes(head.kind)]
        np.testing.assert_array_equal(weights[head.head], trace.pattern(head.layer, head.head, head.kind))
        np.testing.assert_allclose(weights[head.head].sum(axis=1), 1, atol=1e-5)
    assert (len(found), len(guesses)) == (steps, masked)
    return lens, edits


def test_the_stored_example_is_read():
    agree(EXAMPLE, steps=7, masked=0)
    done = subprocess.run([sys.executable, READER, EXAMPLE], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    # 72 heads, 7 steps and the edits.
    assert len(lines) == 72 + 7 + 1
    (line,) = (line for line in lines if line.startswith("decoder.2.cross.pattern, head 3: "))
    assert re.fullmatch(r".*: \S+ reads \S+ with [01]\.\d{3}", line)


@pytest.mark.parametrize(
    ("name", "arguments", "steps", "masked"),
    [
        ("marian-tiny", ["--text", TEXT, "--target", "the red boat"], 5, 0),
        ("llama-gqa", ["--text", TEXT, "--max-new-tokens", "4", "--lens", "3"], 4, 0),
        ("bert-tiny", ["--text", "the old [MASK] sits"], 0, 1),
    ],
)
def test_what_attn_writes_is_read(attn, tmp_path, name, arguments, steps, masked):
    edits = tmp_path / "edits.json"
    stack = "encoder" if name == "bert-tiny" else "decoder"
    edits.write_text(json.dumps([{"kind": "scale_head", "attention": f"{stack}.0.self", "head": 1, "factor": 0}]))
    path = tmp_path / "trace.safetensors"
    traced(attn, TINY / name, path, "--edits", edits, *arguments)
    lens, made = agree(path, steps, masked)
    assert [edit["kind"] for edit in made] == ["scale_head"]
    assert (lens is not None) == ("--lens" in arguments)
    decoding = Trace.load(path).decoding
    assert (decoding is None) == (steps == 0)
    if decoding:
        assert {step.forced for step in decoding.steps} == {"--target" in arguments}


def test_a_newer_version_is_refused_in_the_documents_words(tmp_path):
    path = tmp_path / "newer.safetensors"
    data = EXAMPLE.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    header["__metadata__"]["format"] = "2"
    packed = json.dumps(header).encode()
    path.write_bytes(len(packed).to_bytes(8, "little") + packed + data[8 + int.from_bytes(data[:8], "little") :])
    with pytest.raises(ValueError, match="version 2"):
        read(path)


def rows_of(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    table = re.search(r"\n\| [^\n]*\n\| ---[^\n]*\n((?:\|[^\n]*\n)+)", DOCUMENT[DOCUMENT.index(heading) - 1 :])
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table[1].splitlines()]


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize(
    "name", ["marian-tiny", "llama-gqa", "qwen3", "bert-tiny", "t5-v1_1", "gru-local", "universal-act"]
)
def test_every_array_and_fact_of_a_whole_trace_is_in_the_document(attn, tmp_path, name):
    path = tmp_path / "trace.safetensors"
    command = [attn, "trace", "--model", TINY / name, "--out", path, "--text", TEXT, "--max-new-tokens", "3"]
    subprocess.run(command, capture_output=True, check=True)
    # Shapes are given once for all names of a row, or one for each.
    shapes = {}
    for names, cell, _ in rows_of("| quantity | shape"):
        ranks = [len(shape.split(",")) for shape in re.findall(r"\[([^\]]+)\]", cell)] or [3]
        for place, quantity in enumerate(named(names)):
            shapes[quantity] = set(ranks) if len(ranks) != len(named(names)) else {ranks[place]}
    arrays = load_file(path)
    for array_name, array in arrays.items():
        parts = array_name.split(".")
        assert parts[-1] in shapes, array_name
        assert array.ndim in shapes[parts[-1]], (array_name, array.shape)
        assert array.dtype == np.float32
        assert parts == ["logits"] or parts[0] in ("encoder", "decoder"), array_name
        assert len(parts) < 4 or (parts[1].isdecimal() and parts[2] in ("self", "cross", "mlp")), array_name
    facts = {name for names, *_ in rows_of("`spec` has these fields") for name in named(names)}
    trace = Trace.load(path)
    assert trace.spec.keys() <= facts
    assert trace.entries.keys() <= {name for names, _ in rows_of("| entry | contents") for name in named(names)}
