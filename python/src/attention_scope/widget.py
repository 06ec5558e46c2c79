"""The replay as a widget of a notebook. It needs the packages of `attention-scope[widget]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import replay
from .errors import MissingDependency

if TYPE_CHECKING:
    from .trace import Trace

try:
    import anywidget
    import traitlets
except ImportError as error:
    _missing: ImportError | None = error
else:
    _missing = None

# The widget's own script, behind those of the replay: traits to the replay, and its events to the traits.
_SCRIPT = """
const TRAITS = ["kind", "layer", "head", "token", "step"];

// The theme of JupyterLab or VS Code; elsewhere that of the system.
function themeOfNotebook() {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false" ? "dark" : "light";
  if (vscodeThemeKind) return /light/.test(vscodeThemeKind) ? "light" : "dark";
}

async function render({ model, el }) {
  const style = document.createElement("style");
  style.textContent = model.get("_style");
  const root = el.attachShadow({ mode: "open" });
  const place = document.createElement("div");
  root.append(style, place);
  // Notebooks have single keys as commands: `x` on a head would cut the cell. Those with Ctrl stay theirs.
  place.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
  });
  const view = model.get("_trace");
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const wanted = () => {
    const given = TRAITS.map((name) => [name, model.get(name)]);
    return Object.fromEntries(given.filter(([, value]) => value !== null));
  };
  const replay = await mount(place, bytes, { selection: wanted(), theme: themeOfNotebook() });
  // Traits are set one after the other; what is half set is not to be followed.
  let isReporting = false;
  const report = () => {
    isReporting = true;
    for (const name of TRAITS) model.set(name, replay.selection[name] ?? null);
    isReporting = false;
    model.save_changes();
  };
  const follow = () => {
    const changed = Object.entries(wanted()).filter(([name, value]) => replay.selection[name] !== value);
    if (isReporting || !changed.length) return;
    try {
      replay.select(Object.fromEntries(changed));
    } catch (error) {
      // What the trace lacks stays unselected, and the traits say what is selected.
      if (!(error instanceof RangeError)) throw error;
      report();
    }
  };
  place.addEventListener("selected", report);
  for (const name of TRAITS) model.on(`change:${name}`, follow);
  report();
  return () => {
    for (const name of TRAITS) model.off(`change:${name}`, follow);
    replay.destroy();
  };
}

export default { render };
"""


if _missing is None:

    class TraceWidget(anywidget.AnyWidget):
        """A replay in a notebook. Its traits follow what is selected in it, and select when they are set; all count
        from 0, and `step` is `None` while the selected token was not decoded."""

        kind = traitlets.Unicode(help="encoder_self, decoder_self or cross").tag(sync=True)
        layer = traitlets.Int(0).tag(sync=True)
        head = traitlets.Int(0).tag(sync=True)
        token = traitlets.Int(0, help="the query").tag(sync=True)
        step = traitlets.Int(None, allow_none=True, help="the step of decoding").tag(sync=True)
        _trace = traitlets.Bytes().tag(sync=True)
        _style = traitlets.Unicode().tag(sync=True)

        def __init__(self, trace: Trace, height: int | None, **selection: Any) -> None:
            self._of = trace
            self._esm = replay.module() + _SCRIPT
            kind = trace.kind_of(selection.pop("kind", None))
            style = replay.source("replay.css")
            if height is not None:
                # Paper is not scrolled.
                style += f"\n@media screen {{ .attention-replay {{ max-height: {height:d}px; overflow: auto; }} }}\n"
            super().__init__(_trace=trace.patterns_only().to_bytes(), _style=style, kind=kind, **selection)

        @property
        def trace(self) -> Trace:
            """The trace that is shown."""
            return self._of

        @traitlets.validate("kind")
        def _recorded(self, proposal: Any) -> str:
            if proposal["value"] not in self._of.kinds:
                raise traitlets.TraitError(f"{proposal['value']!r} is none of {', '.join(self._of.kinds)}")
            return str(proposal["value"])

        @traitlets.validate("layer", "head")
        def _within(self, proposal: Any) -> int:
            name, value = proposal["trait"].name, proposal["value"]
            most = max(getattr(head, name) for head in self._of.heads)
            if not 0 <= value <= most:
                raise traitlets.TraitError(f"{name} {value} is not there: the last is {most}, counted from 0")
            return int(value)


def create(trace: Trace, height: int | None, **selection: Any) -> TraceWidget:
    """The widget that shows a trace within this height, with this selection at first."""
    if _missing is not None:
        raise MissingDependency(
            f"widgets need anywidget and traitlets ({_missing.name} is missing): pip install 'attention-scope[widget]'"
        ) from _missing
    return TraceWidget(trace, height, **selection)
