"""The replay: one HTML page that shows a trace by itself. Its sources are `assets/replay` of the repository, whose README
has the rules that are followed here."""

from __future__ import annotations

import base64
import binascii
import gzip
import html
import json
import re
import zlib
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from .errors import InvalidTrace

if TYPE_CHECKING:
    from .trace import Trace

MOST_BYTES = 256 * 1024**2
_MARK = re.compile(r"\{\{([^{}\s]+)\}\}")
_DATA = re.compile(rb'<script type="application/octet-stream" id="trace">([A-Za-z0-9+/=\s]*)</script>')
# The script of the shell, and its call that shows the trace of the page.
_SCRIPT = re.compile(r'<script type="module">\n(.*?)start\(document\);\n\s*</script>', re.DOTALL)


@cache
def source(name: str) -> str:
    """A file of the replay, without its lines that import others."""
    text = resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("import "))


def _filled(shell: str, value: Callable[[str], str]) -> str:
    """The shell with its marks replaced in one pass, so that nothing in a value is read as a mark."""
    return _MARK.sub(lambda mark: value(mark[1]), shell)


# What the replay's README calls the options of `mount`.
OPTIONS = ("language", "theme", "caption", "selection", "header")


def document(trace: Trace, *, title: str | None = None, **options: Any) -> str:
    """The page that shows a trace. Without a title it is named after the model and the text.

    The options are those of the replay: `language` (`en`, `zh`), `theme` (`light`, `dark`), `caption`, `selection` (such as
    `{"layer": 2, "head": 3}`, counted from 0) and `header`.
    """
    unknown = sorted(options.keys() - set(OPTIONS))
    if unknown:
        raise TypeError(f"the replay has no option {', '.join(unknown)}; it has {', '.join(OPTIONS)}")
    patterns = trace.patterns_only()
    size = sum(array.nbytes for array in patterns.arrays.values())
    if not patterns.kinds:
        raise InvalidTrace("the trace has no map of attention, so there is nothing to show")
    if size > MOST_BYTES:
        raise InvalidTrace(
            f"the weights take {size / 1024**2:.0f} MiB, and a replay takes {MOST_BYTES // 1024**2}: record a shorter text, or "
            "one kind of attention (`kinds=`)"
        )
    data = base64.b64encode(gzip.compress(patterns.to_bytes(), mtime=0)).decode()
    named = html.escape(title or default_title(trace))
    given = {name: value for name, value in options.items() if value is not None}
    values = {"title": named, "data": data, "options": json.dumps(given, ensure_ascii=False).replace("<", "\\u003c")}
    return _filled(source("replay.html"), lambda mark: values[mark] if mark in values else source(mark))


def default_title(trace: Trace) -> str:
    """The name of the model and the beginning of the text."""
    text = trace.origin.get("text") or " ".join(token.text.lstrip("▁") for token in trace.source or trace.target)
    model = trace.origin.get("model") or trace.spec["model_type"]
    return f"{model}: {text if len(text) <= 60 else text[:59] + '…'}"


def data_of(page: bytes, name: str) -> bytes:
    """The trace in such a page. `name` stands in errors."""
    found = _DATA.search(page)
    if not found:
        raise InvalidTrace(f"{name} has no trace in it: the script element `trace` is missing")
    try:
        packed = base64.b64decode(found[1], validate=False)
        unpacked = zlib.decompressobj(wbits=31)
        data = unpacked.decompress(packed, 2 * MOST_BYTES)
    except (binascii.Error, zlib.error) as error:
        raise InvalidTrace(f"{name}: the script element `trace` cannot be unpacked: {error}") from error
    if not unpacked.eof:
        raise InvalidTrace(f"{name}: the trace in it is cut short, or larger than {2 * MOST_BYTES // 1024**2} MiB")
    return data


@cache
def module() -> str:
    """The scripts of the replay as one module that defines `mount`."""
    script = _SCRIPT.search(source("replay.html"))
    if script is None:
        raise InvalidTrace("replay.html of this package has no script that starts the replay")
    return _filled(script[1], source)


# JupyterLab takes frames out of notebooks that it does not trust, and leaves what is between their tags.
_WITHOUT_FRAME = "The replay is hidden because this notebook is not trusted. Run the cell, or choose Trust Notebook in the command palette."


class Replay:
    """What a notebook displays: the replay in a frame without rights to the notebook, its storage or the network."""

    def __init__(self, trace: Trace, *, height: int, title: str | None, **options: Any) -> None:
        self._title = title or default_title(trace)
        self._page = document(trace, title=title, **options)
        self._height = int(height)

    def _repr_html_(self) -> str:
        # `srcdoc` is an attribute: all that the page contains is escaped as a whole.
        return (
            f'<iframe sandbox="allow-scripts" title="{html.escape(self._title)}" srcdoc="{html.escape(self._page)}" '
            f'style="width: 100%; height: {self._height}px; border: 0" loading="lazy">{_WITHOUT_FRAME}</iframe>'
        )

    def __repr__(self) -> str:
        return f"<Replay of {self._title}: shown in a notebook; elsewhere, save the trace as .html>"
