"""Files, their round trips, and files that are not what they claim."""

import base64
import gzip
import json
import re
import struct
import subprocess
import sys

import numpy as np
import pytest

from attention_scope import InvalidTrace, NewerTrace, Trace, record, replay
from conftest import REPOSITORY, model_of, tokenizer_of

SCRIPT = "</script><img src=x onerror=alert(1)>\"'&{{data}}<!--"


def with_header(data: bytes, change) -> bytes:
    """The file with a changed header."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    change(header)
    packed = json.dumps(header).encode()
    return struct.pack("<Q", len(packed)) + packed + data[8 + length :]


def changed(trace: Trace, key: str, change) -> bytes:
    """The file with a changed entry of its metadata."""

    def inner(header):
        value = json.loads(header["__metadata__"][key])
        change(value)
        header["__metadata__"][key] = json.dumps(value)

    return with_header(trace.to_bytes(), inner)


@pytest.mark.parametrize("suffix", [".safetensors", ".html"])
def test_a_trace_survives_the_round_trip(marian, tmp_path, suffix):
    read = Trace.load(marian.save(tmp_path / f"trace{suffix}"))
    assert read.entries == json.loads(json.dumps(marian.entries))
    assert read.arrays.keys() == marian.arrays.keys()
    for name, array in marian.arrays.items():
        np.testing.assert_array_equal(read.arrays[name], array)
    assert (read.decoding, read.heads) == (marian.decoding, marian.heads)


def test_the_stored_examples_are_read():
    for path in sorted((REPOSITORY / "assets/examples").glob("*.safetensors")):
        trace = Trace.load(path)
        assert trace.kinds and trace.heads
    trace = Trace.load(REPOSITORY / "assets/examples/je-suis-etudiant.safetensors")
    assert [token.text for token in trace.source] == ["▁Je", "▁suis", "▁étudi", "ant", "</s>"]
    assert trace.decoding.hypotheses[0].text == "I'm a student."
    assert trace.pattern(2, 3).shape == (len(trace.target), len(trace.source))


def test_maps_are_found_by_kind_layer_and_head(marian, llama):
    assert marian.kinds == ("encoder_self", "decoder_self", "cross")
    assert marian.pattern(0, 0).shape == marian.pattern(0, 0, "cross").shape == (len(marian.target), len(marian.source))
    assert len(marian.heads) == sum(
        marian.spec[stack]["layers"] * marian.spec[stack]["heads"] for stack in ("encoder", "decoder", "decoder")
    )
    assert llama.kind_of(None) == "decoder_self"
    np.testing.assert_array_equal(np.triu(llama.pattern(0, 0), 1), 0)
    assert [axis for axis in map(len, marian.axes("cross"))] == [len(marian.target), len(marian.source)]
    with pytest.raises(IndexError, match="head 99 is not there"):
        llama.pattern(0, 99)
    with pytest.raises(IndexError, match="layer -1"):
        llama.pattern(-1, 0)
    with pytest.raises(ValueError, match="'cross' is none"):
        llama.pattern(0, 0, "cross")
    assert "llama-gqa" in repr(llama)


def test_a_newer_version_is_refused_with_both_versions(llama):
    data = with_header(llama.to_bytes(), lambda header: header["__metadata__"].update(format="2"))
    with pytest.raises(NewerTrace, match="mine has version 2 .* reads up to 1"):
        Trace.from_bytes(data, name="mine")
    old = with_header(llama.to_bytes(), lambda header: header["__metadata__"].pop("format"))
    assert Trace.from_bytes(old).heads == llama.heads


def test_a_newer_field_or_entry_is_ignored(llama):
    data = changed(llama, "trace", lambda meta: meta.update(later=1))
    data = with_header(data, lambda header: header["__metadata__"].update(later="no JSON"))
    assert Trace.from_bytes(data).heads == llama.heads


@pytest.mark.parametrize(
    ("key", "change", "message"),
    [
        ("trace", lambda meta: meta.pop("spec"), "`spec`"),
        ("trace", lambda meta: meta.pop("source"), "`source`"),
        ("trace", lambda meta: meta["target"].pop(), "has the shape"),
        ("trace", lambda meta: meta["target"].append("word"), "no list of tokens"),
        ("trace", lambda meta: meta["spec"]["decoder"].update(heads=3), "3 heads"),
        ("trace", lambda meta: meta["spec"]["decoder"].update(layers=9), "9 layers"),
        ("trace", lambda meta: meta["spec"]["decoder"].update(layers=2**70), "not a positive number"),
        ("trace", lambda meta: meta["spec"].pop("decoder"), "`decoder`"),
        ("decoding", lambda decoding: decoding["steps"][0].update(row=999), "row beyond the"),
        ("decoding", lambda decoding: decoding["steps"][0].pop("chosen"), "'chosen'"),
        ("decoding", lambda decoding: decoding.update(hypotheses=7), "`decoding`"),
    ],
)
def test_a_contradiction_is_named(llama, key, change, message):
    with pytest.raises(InvalidTrace, match=re.escape(message)) as caught:
        Trace.from_bytes(changed(llama, key, change), name="mine.safetensors")
    assert "mine.safetensors" in str(caught.value)


def test_other_maps_and_places_are_checked(llama):
    entries, shape = llama.entries, llama.arrays["decoder.0.self.pattern"].shape
    scores = {**llama.arrays, "decoder.0.self.masked_scores": np.full(shape, -np.inf, np.float32)}
    assert Trace(entries, scores).heads == llama.heads
    for site, array in (
        ("decoder.0.self.scores", np.zeros((shape[0], 1, 1), np.float32)),
        ("decoder.9.self.scores", np.zeros(shape, np.float32)),
        ("decoder.0.self.thumbnail", np.zeros((shape[0], 49, 49), np.float32)),
    ):
        with pytest.raises(InvalidTrace, match=r"layers|shape"):
            Trace(entries, {**llama.arrays, site: array})
    guess = {"place": 0, "candidates": []}
    for key, value in (("guesses", [guess]), ("lens", {"answers": [], "layers": []}), ("lens", [])):
        with pytest.raises(InvalidTrace, match=f"`{key}`"):
            Trace({**entries, key: value}, llama.arrays)


def test_arrays_that_lie_are_refused(llama):
    data, name = llama.to_bytes(), "decoder.0.self.pattern"
    for change in (
        lambda header: header[name].update(shape=[1, 1, 1]),
        lambda header: header[name].update(data_offsets=[0, 2**62]),
        lambda header: header[name].update(dtype="F64"),
        lambda header: header.update({"decoder.0.self.motif": header.pop(name)}),
        lambda header: header.pop(name),
        lambda header: header["__metadata__"].pop("trace"),
        lambda header: header["__metadata__"].update(trace="{"),
        lambda header: header["__metadata__"].update(format="one"),
        lambda header: header.update(__metadata__=[]),
    ):
        with pytest.raises(InvalidTrace, match="the trace"):
            Trace.from_bytes(with_header(data, change))
    for cut in (b"", data[:7], data[:-1], data[:40], b"\xff" * 64, struct.pack("<Q", 4) + b"nope"):
        with pytest.raises(InvalidTrace):
            Trace.from_bytes(cut)


def test_damaged_files_are_refused_or_read(llama):
    """A changed byte or value never raises another error."""
    random = np.random.default_rng(5)
    data = llama.to_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        damaged[random.integers(0, 8 + length)] = random.integers(0, 256)
        try:
            repr(Trace.from_bytes(bytes(damaged)))
        except InvalidTrace:
            refused += 1
    assert refused > 50
    for key in ("trace", "decoding", "origin", "guesses", "lens"):
        for value in (None, 7, "text", [], {}, [1], {"steps": 1}, {"model": 1, "text": []}):
            try:
                trace = Trace({**llama.entries, key: value}, llama.arrays)
                assert "<iframe" in trace.show()._repr_html_() and repr(trace)
            except InvalidTrace as error:
                assert key in str(error)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused(llama, value):
    arrays = {name: array.copy() for name, array in llama.arrays.items()}
    arrays["decoder.1.self.pattern"][0, 0, 0] = value
    with pytest.raises(InvalidTrace, match=r"`decoder.1.self.pattern` has weights that are not finite"):
        Trace(llama.entries, arrays)


def test_a_page_without_a_trace_is_refused(tmp_path, llama):
    page = replay.document(llama)
    packed = re.search('id="trace">([^<]*)<', page)[1]
    bomb = base64.b64encode(gzip.compress(b"\0" * 2**20)).decode()
    for broken in (
        "<p>nothing</p>",
        page.replace(packed, "AAAA"),
        page.replace(packed, packed[:80]),
        page.replace(packed, bomb),
    ):
        path = tmp_path / "page.html"
        path.write_text(broken, encoding="utf-8")
        with pytest.raises(InvalidTrace):
            Trace.load(path)


def test_other_endings_are_refused(llama, tmp_path):
    with pytest.raises(ValueError, match=r"'\.pt'"):
        llama.save(tmp_path / "trace.pt")


def hostile(trace: Trace) -> Trace:
    """The same trace with a script in every string."""

    def spoil(value):
        if isinstance(value, dict):
            # What is compared with known words stays.
            known = {"encoding", "generates", "kind", "placement", "activation", "direction", "layout"}
            return {key: part if key in known else spoil(part) for key, part in value.items()}
        if isinstance(value, list):
            return [spoil(part) for part in value]
        return SCRIPT if isinstance(value, str) else value

    return Trace(spoil(json.loads(json.dumps(trace.entries))), trace.arrays)


def test_strings_of_a_trace_stay_data(marian, output):
    trace = hostile(marian)
    page = replay.document(trace, title=SCRIPT)
    assert "onerror" not in page.replace("&lt;img src=x onerror=alert(1)&gt;", "")
    assert page.count("</script>") == replay.document(marian).count("</script>")
    frame = trace.show(title=SCRIPT)._repr_html_()
    assert re.fullmatch(
        r'<iframe sandbox="allow-scripts" title="[^"<>]*" srcdoc="[^"<>]*" style="[^"<>]*" loading="lazy">The replay is hidden [^<>]*</iframe>',
        frame,
    )
    assert trace.origin["text"] == SCRIPT
    # For the journey that opens it in a browser.
    (output / "hostile.html").write_text(f"<!doctype html><title>frame</title>{frame}", encoding="utf-8")


def test_show_needs_no_notebook(llama):
    """The object is made, and says what it is, where no IPython and no kernel is."""
    script = "import sys, attention_scope; assert 'IPython' not in sys.modules and 'torch' not in sys.modules and 'transformers' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
    shown = llama.show(height=300)
    assert "save the trace as .html" in repr(shown)
    assert "height: 300px" in shown._repr_html_()


def test_every_mark_of_the_shell_is_replaced(llama):
    shell = (REPOSITORY / "assets/replay/replay.html").read_text(encoding="utf-8")
    marks = set(re.findall(r"\{\{.+?\}\}", shell))
    assert "{{data}}" in marks and "{{replay.js}}" in marks
    for made in (replay.document(llama), replay.module()):
        assert not [mark for mark in marks if mark in made]


def test_options_are_data_too(llama):
    page = replay.document(llama, caption=SCRIPT, theme="dark", selection={"layer": 1, "head": 1})
    found = re.search('<script type="application/json" id="options">([^<]*)</script>', page)
    assert json.loads(found[1]) == {"caption": SCRIPT, "theme": "dark", "selection": {"layer": 1, "head": 1}}
    with pytest.raises(TypeError, match="no option colour"):
        llama.show(colour="red")


def test_too_much_to_show_is_refused(llama, monkeypatch):
    monkeypatch.setattr(replay, "MOST_BYTES", 100)
    with pytest.raises(InvalidTrace, match="record a shorter text"):
        llama.show()


def test_the_trace_of_a_masked_word_has_no_decoding():
    trace = record(model_of("bert-tiny"), tokenizer_of("bert-tiny"), "the [MASK] sits")
    assert trace.decoding is None and trace.kinds == ("encoder_self",)
    assert trace.guesses[0].candidates[0].probability <= 1
