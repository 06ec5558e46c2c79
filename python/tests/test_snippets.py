"""The programs that chapters show for their formulas, run as they are shown: NumPy and PyTorch print the same numbers, and
those are the numbers that the programs in burn are compared with."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "tests/snippets"
TOLERANCE = 1e-5


def module(name: str) -> ModuleType:
    """A file of the folder, under a name of its own."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


programs = module("programs")
reference = module("reference")


@pytest.mark.parametrize("name", programs.names())
def test_pytorch_prints_numpys_numbers(name: str) -> None:
    for sizes in programs.SIZES:
        ours = programs.printed("numpy", name, sizes)
        theirs = programs.printed("pytorch", name, sizes)
        assert ours
        assert theirs == pytest.approx(ours, rel=TOLERANCE, abs=TOLERANCE), sizes


def test_every_library_has_every_program() -> None:
    names = programs.names()
    for library in ("pytorch", "burn"):
        found = sorted(path.stem for path in (programs.FOLDER / library).iterdir())
        assert found == names


def test_the_numbers_for_burn_are_up_to_date() -> None:
    kept = json.loads((FOLDER / "numbers.json").read_text())
    made = reference.numbers()
    assert kept["sizes"] == [list(sizes) for sizes in made["sizes"]]
    assert kept["programs"].keys() == made["programs"].keys()
    for name, program in made["programs"].items():
        assert kept["programs"][name]["digests"] == program["digests"], name
        for ours, theirs in zip(program["printed"], kept["programs"][name]["printed"], strict=True):
            # Another machine may round the last digit otherwise.
            assert theirs == pytest.approx(ours, rel=TOLERANCE, abs=TOLERANCE), name


@pytest.mark.parametrize(
    ("name", "program", "right"),
    [(name, *exercise) for name, exercise in json.loads((FOLDER / "exercises.json").read_text()).items()],
)
def test_a_solution_prints_what_the_page_takes_for_right(name: str, program: str, right: float) -> None:
    assert programs.run(program, name)[-1] == pytest.approx(right, abs=1e-6)
