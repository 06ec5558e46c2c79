"""The programs in Python that chapters show for their formulas, put together as the page does it
(`model/trace/src/snippets.rs`), and their printed numbers at several sizes."""

import contextlib
import hashlib
import io
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "app/chapters/snippets"
LIBRARIES = ("numpy", "pytorch")
# Tokens, width, heads, width of a head: a small model, an odd one, long texts, one token and one head, the original Transformer.
SIZES = [(7, 64, 4, 16), (3, 10, 2, 6), (300, 48, 3, 16), (1, 8, 1, 8), (12, 512, 8, 64)]


def names():
    return sorted(path.stem for path in (FOLDER / "numpy").iterdir())


def program(library, name):
    """A program with places for the sizes."""
    helpers = FOLDER / "helpers" / library
    body = (FOLDER / library / f"{name}.py").read_text().rstrip()
    called = [
        path.read_text().rstrip()
        for path in sorted(helpers.iterdir())
        if path.stem != "head" and f"{path.stem}(" in body
    ]
    return "\n\n\n".join([(helpers / "head.py").read_text().rstrip(), *called, body]) + "\n"


def filled(text, sizes):
    for place, size in zip(("n", "d", "h", "d_k"), sizes, strict=True):
        text = text.replace("{{" + place + "}}", str(size))
    return text


def run(code, name):
    """The numbers that a program prints in its last line."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    return [float(number) for number in output.getvalue().splitlines()[-1].split()]


def printed(library, name, sizes):
    return run(filled(program(library, name), sizes), f"{library}/{name}.py")


def digest(library, name):
    return hashlib.sha256(program(library, name).encode()).hexdigest()
