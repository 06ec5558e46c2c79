"""The example is executed, and its page is kept for the journeys that open it in a browser."""

import subprocess
import sys
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter

from conftest import REPOSITORY

NOTEBOOK = REPOSITORY / "python/examples/attention.ipynb"


def executed(folder: Path):
    """The notebook with its outputs, by a kernel of this very Python."""
    arguments = ["nbconvert", "--to", "notebook", "--execute", "--output-dir", folder, NOTEBOOK]
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return nbformat.read(folder / NOTEBOOK.name, as_version=4)


def test_the_example_runs(output: Path, tmp_path: Path):
    notebook = executed(tmp_path)
    cells = {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}
    printed = "".join(part.text for part in cells["decoded"].outputs)
    assert printed.startswith("I'm a student.")
    warned = "".join(part.get("text", "") for part in cells["record"].outputs)
    assert "attends by sdpa" in warned
    (shown,) = cells["look"].outputs
    assert shown.data["text/html"].startswith('<iframe sandbox="allow-scripts"')
    assert "étudi" in "".join(part.text for part in cells["numbers"].outputs)
    (kept,) = cells["keep"].outputs
    assert "<Trace of translator" in kept.data["text/plain"]
    page, _ = HTMLExporter().from_notebook_node(notebook)
    (output / "attention.html").write_text(page, encoding="utf-8")


def test_the_example_is_kept_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")
