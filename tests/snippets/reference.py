"""Writes `numbers.json`: what the NumPy programs print, which the programs in burn are compared with."""

import json
from pathlib import Path

from programs import LIBRARIES, SIZES, digest, names, printed

NUMBERS = Path(__file__).parent / "numbers.json"


def numbers():
    return {
        "sizes": SIZES,
        "programs": {
            name: {
                "digests": {library: digest(library, name) for library in LIBRARIES},
                "printed": [printed("numpy", name, sizes) for sizes in SIZES],
            }
            for name in names()
        },
    }


def written():
    """One program a line, so that a change shows where it is."""
    found = numbers()
    lines = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(program)}"
        for name, program in found["programs"].items()
    )
    return f'{{"sizes": {json.dumps(found["sizes"])}, "programs": {{\n{lines}\n}}}}\n'


if __name__ == "__main__":
    NUMBERS.write_text(written())
