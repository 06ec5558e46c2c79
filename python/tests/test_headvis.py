"""The folder of HeadVis, written and read."""

import json

import numpy as np
import pytest

from attention_scope import InvalidTrace, Trace


def test_a_trace_survives_the_round_trip(llama, tmp_path):
    read = Trace.from_headvis(llama.to_headvis(tmp_path / "data"))
    assert [token.text for token in read.target] == [token.text for token in llama.target]
    assert read.kinds == ("decoder_self",)
    assert read.origin["model"] == "llama-gqa"
    for name, array in llama.arrays.items():
        np.testing.assert_allclose(read.arrays[name], array, atol=5.1e-5)


def test_the_folder_has_the_fields_of_headvis(llama, tmp_path):
    llama.to_headvis(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["heads"] == [[head.layer, head.head] for head in llama.heads]
    assert config["n_intervals"] == 10 and not config["has_umap"]
    rows = json.loads((tmp_path / "scatter_data.json").read_text())
    assert [[row["layer"], row["head"]] for row in rows] == config["heads"]
    assert all(row.keys() == {"layer", "head", *config["metrics"]} for row in rows)
    head = json.loads((tmp_path / "heads/L1H0.json").read_text())
    sequence = head["sequences"][0]
    count, weights = sequence["seq_len"], llama.pattern(1, 0)
    assert sequence["interval"] == 10 and sequence["tokens"][1].startswith(" ") is llama.target[1].text.startswith("▁")
    for index, value in zip(sequence["attention_indices"], sequence["attention_values"], strict=True):
        assert value == pytest.approx(float(weights[index // count, index % count]), abs=5e-5)
    inner = weights[1:, 1:] - np.diag(np.diagonal(weights)[1:])
    assert sequence["max_activation"] == pytest.approx(float(inner.max()), abs=5e-5)
    histogram = head["qk_distance_histogram"]
    assert len(histogram["bin_values"]) == len(histogram["bin_edges"]) - 1
    assert sum(histogram["bin_values"]) == len(sequence["attention_indices"])
    assert sum(row["weight"] for row in head["top_query_tokens"]) == pytest.approx(count, abs=0.01)


def test_metrics_are_those_of_their_definitions(tmp_path):
    weights = np.array([[[1, 0, 0], [0.75, 0.25, 0], [0.125, 0.75, 0.125]]], np.float32)
    tokens = [{"id": number, "text": text} for number, text in ((7, "a"), (8, "b"), (7, "a"))]
    stack = {"layers": 1, "heads": 1, "key_value_heads": 1, "head_width": 1, "causal": True, "cross_attention": False}
    spec = {"model_type": "toy", "decoder": stack}
    trace = Trace({"trace": {"spec": spec, "source": [], "target": tokens}}, {"decoder.0.self.pattern": weights})
    trace.to_headvis(tmp_path)
    (row,) = json.loads((tmp_path / "scatter_data.json").read_text())
    assert row["self_attention_score"] == pytest.approx((1 + 0.25 + 0.125) / 3, abs=1e-4)
    assert row["previous_token_score"] == pytest.approx(0.75)
    # The third token is the first again, and the second stands behind the first.
    assert row["induction_score"] == pytest.approx(0.75 / 3, abs=1e-4)
    assert row["qk_distance"] == pytest.approx((0.75 + 0.25 + 0.75) / 3, abs=1e-4)
    entropy = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25) + 0.25 * np.log(0.125) + 0.75 * np.log(0.75)) / 3
    assert row["pattern_entropy"] == pytest.approx(entropy, abs=1e-4)


def test_cross_attention_has_no_place_in_headvis(marian, tmp_path):
    assert Trace.from_headvis(marian.to_headvis(tmp_path)).spec["decoder"]["layers"] == marian.spec["decoder"]["layers"]
    with pytest.raises(ValueError, match="attends to another"):
        marian.to_headvis(tmp_path, kind="cross")


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("config.json", lambda config: config["heads"].pop(), "lists no head"),
        ("config.json", lambda config: config.update(n_layers=-1), "`n_layers` is -1"),
        ("heads/L0H1.json", lambda head: head["sequences"].clear(), "no sequence"),
        ("heads/L0H1.json", lambda head: head["sequences"][0]["tokens"].pop(), "L0H1.json"),
        ("heads/L0H1.json", lambda head: head["sequences"][0]["attention_values"].pop(), "do not fit"),
        ("heads/L0H1.json", lambda head: head["sequences"][0]["attention_indices"].__setitem__(0, 10**6), "do not fit"),
    ],
)
def test_a_contradiction_is_named(llama, tmp_path, file, change, message):
    llama.to_headvis(tmp_path)
    content = json.loads((tmp_path / file).read_text())
    change(content)
    (tmp_path / file).write_text(json.dumps(content))
    with pytest.raises(InvalidTrace, match=message):
        Trace.from_headvis(tmp_path)


def test_a_missing_file_is_named(llama, tmp_path):
    llama.to_headvis(tmp_path)
    (tmp_path / "heads/L0H0.json").unlink()
    with pytest.raises(InvalidTrace, match="L0H0.json"):
        Trace.from_headvis(tmp_path)
    with pytest.raises(InvalidTrace, match="no sequence 5"):
        llama.to_headvis(tmp_path)
        Trace.from_headvis(tmp_path, sequence=5)
