"""Reads a trace by docs/trace-format.md alone: python read_trace.py FILE. It needs safetensors and NumPy."""

import json
import sys

from safetensors import safe_open


def read(path):
    """The maps of a trace by name, each with its queries, keys and weights; decoding steps; guesses; lens; edits."""
    with safe_open(path, "numpy") as file:
        entries = file.metadata()
        maps = {name: file.get_tensor(name) for name in file.keys() if name.endswith(".pattern")}
    if int(entries.get("format", "1")) > 1:
        raise ValueError(f"{path} has version {entries['format']}, and this reader knows 1")
    trace, decoding, guesses, edits, lens = (
        json.loads(entries.get(name, "null")) for name in ("trace", "decoding", "guesses", "edits", "lens")
    )
    texts = {side: [token["text"] for token in trace[side]] for side in ("source", "target")}
    own = {"encoder": "source", "decoder": "target"}
    for name, weights in maps.items():
        stack, _layer, sublayer, _quantity = name.split(".")
        queries, keys = texts[own[stack]], texts["source" if sublayer == "cross" else own[stack]]
        maps[name] = queries, keys, weights  # [heads, queries, keys]
    steps = [(texts["target"][step["row"]], step["candidates"]) for step in (decoding or {}).get("steps", [])]
    masked = [(guess["place"], guess["candidates"]) for guess in guesses or []]
    return maps, steps, masked, lens, edits or []


if __name__ == "__main__":
    maps, steps, masked, lens, edits = read(sys.argv[1])
    for name, (queries, keys, weights) in maps.items():
        for head, rows in enumerate(weights):
            query, key = divmod(int(rows.argmax()), len(keys))
            print(f"{name}, head {head}: {queries[query]} reads {keys[key]} with {rows[query, key]:.3f}")
    for query, candidates in steps + masked:
        best = candidates[0]
        print(f"after or at {query}: {best['token']['text']}, log p {best['log_probability']:.3f}")
    for depth, positions in enumerate(lens["layers"] if lens else []):
        print(f"after layer {depth}: {positions[-1]['words'][0]['token']['text']} would follow")
    print(f"{len(edits)} edits")
