"""The widget's side in Python; the journeys in `tests/e2e/notebook` have the one in the browser."""

import base64
import json
import subprocess
import sys

import pytest
import traitlets

from attention_scope import Trace


def test_traits_select_and_are_checked(marian):
    widget = marian.widget(layer=1, head=2)
    assert (widget.kind, widget.layer, widget.head, widget.token, widget.step) == ("cross", 1, 2, 0, None)
    seen = []
    widget.observe(lambda change: seen.append((change["name"], change["new"])), names=["head", "kind"])
    widget.head = 3
    widget.kind = "encoder_self"
    assert seen == [("head", 3), ("kind", "encoder_self")]
    for name, value in (("kind", "crossed"), ("layer", 99), ("head", -1)):
        with pytest.raises(traitlets.TraitError):
            setattr(widget, name, value)
    assert widget.trace is marian


def test_the_height_is_limited_or_not(marian):
    assert "max-height: 400px" in marian.widget(height=400).get_state()["_style"]
    assert "@media screen { .attention-replay { max-height" not in marian.widget(height=None).get_state()["_style"]


def test_a_browser_selects(marian):
    """What the browser sends arrives in the traits."""
    widget = marian.widget()
    widget.set_state({"layer": 1, "head": 1, "token": 2, "step": 2})
    assert (widget.layer, widget.head, widget.token, widget.step) == (1, 1, 2, 2)


def test_the_widget_has_all_that_a_browser_needs(marian, output):
    widget = marian.widget(head=1)
    state = widget.get_state()
    assert Trace.from_bytes(bytes(state["_trace"])).heads == marian.heads
    assert "import " not in [line[:7] for line in state["_esm"].splitlines()]
    traits = {name: state[name] for name in ("kind", "layer", "head", "token", "step", "_style")}
    content = {"esm": state["_esm"], "traits": traits, "trace": base64.b64encode(bytes(state["_trace"])).decode()}
    # For the journey that mounts it in a browser.
    (output / "widget.json").write_text(json.dumps(content), encoding="utf-8")


def test_without_anywidget_the_error_says_what_to_install(tmp_path, llama):
    path = llama.save(tmp_path / "trace.safetensors")
    script = f"""
import sys
sys.modules["anywidget"] = None
import attention_scope
try:
    attention_scope.Trace.load({str(path)!r}).widget()
except attention_scope.MissingDependency as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'attention-scope[widget]'" in done.stdout


def test_without_torch_the_error_says_what_to_install():
    script = """
import sys
sys.modules["torch"] = None
import attention_scope
try:
    attention_scope.record(None, None, "text")
except attention_scope.MissingDependency as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'attention-scope[record]'" in done.stdout
