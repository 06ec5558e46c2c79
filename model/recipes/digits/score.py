"""Scores the digit writer: perplexity on the test pictures, and whether the model `digits` names what it writes.

    python score.py assets/models/digit-writer assets/models/digits test.tsv
"""

import sys

import torch
from safetensors.torch import load_file
from torch.nn.functional import conv2d, cross_entropy
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

SIGNS = "▫░▒▓█"
SIDE = 8
# Drawn pictures of each digit, with the seeds 0, 1, …
DRAWN = 10

writer, reader, test = sys.argv[1:]
tokenizer = PreTrainedTokenizerFast(tokenizer_file=f"{writer}/tokenizer.json")
model = AutoModelForCausalLM.from_pretrained(writer, dtype=torch.float32, attn_implementation="eager").eval()
weights = load_file(f"{reader}/model.safetensors")


def convolved(x: torch.Tensor, name: str, padding: int) -> torch.Tensor:
    return conv2d(x, weights[f"{name}.weight"], weights[f"{name}.bias"], padding=padding)


def named(picture: torch.Tensor) -> int:
    """The digit that the model of pictures names; `picture` is [8, 8] with levels from 0 to 1."""
    x = torch.relu(convolved(picture[None, None], "first", 1))
    x = torch.relu(convolved(x, "second", 1))
    f, g, h = (convolved(x, f"attention.{part}", 0).flatten(2)[0] for part in "fgh")
    attention = torch.softmax(g.T @ f, -1)
    x = x + weights["attention.scale"] * (h @ attention.T).reshape(x.shape)
    x = torch.relu(convolved(x, "third", 1)).mean((2, 3))
    return int((x @ weights["readout.weight"].T + weights["readout.bias"]).argmax())


def written(digit: int, seed: int | None) -> list[int]:
    """The levels that are written after a digit: the most probable ones, or drawn with a seed."""
    ids = torch.tensor([tokenizer.encode(str(digit))])
    if seed is not None:
        torch.manual_seed(seed)
    out = model.generate(
        ids, max_new_tokens=SIDE * SIDE, do_sample=seed is not None, top_k=0, pad_token_id=0, eos_token_id=1
    )
    signs = tokenizer.convert_ids_to_tokens(out[0, ids.shape[1] :].tolist())
    return [SIGNS.find(sign[-1]) for sign in signs]


def is_named(digit: int, seed: int | None) -> bool:
    levels = written(digit, seed)
    is_whole = len(levels) == SIDE * SIDE and min(levels) >= 0
    return is_whole and named(torch.tensor(levels).reshape(SIDE, SIDE) / (len(SIGNS) - 1)) == digit


@torch.no_grad()
def perplexity() -> float:
    """Perplexity of a cell, over all cells of the test pictures."""
    losses = []
    for line in open(test, encoding="utf-8"):
        ids = torch.tensor([tokenizer.encode(line.strip())])
        # After the start and the digit the cells begin.
        losses.append(cross_entropy(model(ids).logits[0, 1:-1], ids[0, 2:], reduction="none"))
    return float(torch.cat(losses).mean().exp())


@torch.no_grad()
def looks() -> None:
    """Prints the mean weight of each head on four places, for the cells of the rows from the second on."""
    ids = torch.tensor([tokenizer.encode(line.strip()) for line in open(test, encoding="utf-8")])
    maps = model(ids, output_attentions=True).attentions
    # The row that writes a cell is the one of the token before it.
    rows = torch.arange(SIDE + 1, SIDE * SIDE + 1)
    places = {"name": torch.ones_like(rows), "before": rows, "above": rows - 7, "above, right": rows - 6}
    for layer, weights_of in enumerate(maps, 1):
        for head in range(weights_of.shape[1]):
            means = (f"{name} {weights_of[:, head, rows, keys].mean():.2f}" for name, keys in places.items())
            print(f"layer {layer}, head {head + 1}:", ", ".join(means))


print(f"perplexity {perplexity():.2f}")
print(f"named as asked for: {sum(is_named(digit, None) for digit in range(10))} of 10")
drawn = sum(is_named(digit, seed) for digit in range(10) for seed in range(DRAWN))
print(f"drawn: {drawn} of {10 * DRAWN}")
looks()
