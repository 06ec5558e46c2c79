"""Models of every family, the `attn` command, and folders for what a browser opens later."""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from pathlib import Path

import pytest
import torch
import transformers
from transformers import PreTrainedTokenizerFast

from attention_scope import AttentionSwitched, Trace

REPOSITORY = Path(__file__).parents[2]
TINY = REPOSITORY / "tests/fixtures/tiny"
TEXT = "the old dog sits in the garden"

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


@pytest.fixture(scope="session")
def attn() -> Path:
    """The command that the package must agree with; `ATTN` names it."""
    path = os.environ.get("ATTN")
    assert path and Path(path).is_file(), "ATTN must name the command `attn`: cargo xtask test --only python sets it"
    return Path(path)


@pytest.fixture(scope="session")
def output() -> Path:
    """The folder of what the tests leave for a browser; `OUTPUT` names it."""
    path = Path(os.environ.get("OUTPUT", REPOSITORY / "target/python"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def model_of(name: str, **settings):
    """A tiny checkpoint in f32 with eager attention, unless the settings differ."""
    directory = TINY / name
    config = json.loads((directory / "config.json").read_text())
    settings = {"dtype": torch.float32, "attn_implementation": "eager", **settings}
    return getattr(transformers, config["architectures"][0]).from_pretrained(directory, **settings).eval()


def tokenizer_of(name: str) -> PreTrainedTokenizerFast:
    """The tokenizer of a tiny checkpoint, from `tokenizer.json` alone, as `attn` reads it."""
    if (TINY / name / "tokenizer_config.json").is_file():
        return PreTrainedTokenizerFast.from_pretrained(TINY / name)
    return PreTrainedTokenizerFast(tokenizer_file=str(TINY / name / "tokenizer.json"))


def traced(attn: Path, directory: Path, out: Path, *arguments: str) -> Trace:
    """The trace that `attn` writes of a checkpoint."""
    command = [attn, "trace", "--weights-only", "--model", directory, "--out", out, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Trace.load(out)


@pytest.fixture
def quiet():
    """Lets models be switched to eager attention without the warning, which is an error in tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AttentionSwitched)
        yield


@pytest.fixture(scope="session")
def llama() -> Trace:
    from attention_scope import record

    return record(model_of("llama-gqa"), tokenizer_of("llama-gqa"), TEXT, max_new_tokens=6, name="llama-gqa")


@pytest.fixture(scope="session")
def marian() -> Trace:
    from attention_scope import record

    return record(model_of("marian-tiny"), tokenizer_of("marian-tiny"), TEXT, target="the red boat", name="marian-tiny")
