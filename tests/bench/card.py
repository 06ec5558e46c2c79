"""Measures our engine natively, on a graphics card and on the CPU, beside PyTorch on the same weights.

    cargo build --release -p attention-model --features webgpu --example passes
    python tests/bench/card.py --out docs/card.json

Needs torch, transformers, tokenizers, safetensors and numpy. Both sides make the same passes, read the same arrays, and
take turns; where what they computed differs by more than 1e-3, or one decoded token does, the run fails.
"""

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
import torch
import transformers
from checkpoints import SIZES, write_llama
from transformers import AutoModelForSeq2SeqLM, LlamaForCausalLM
from transformers.modeling_outputs import BaseModelOutput

ROOT = Path(__file__).parents[2]
SEED = 20261121
SENTENCE = "Je voudrais apprendre comment les machines traduisent les phrases."
# Sums in another order are off by less, a wrong kernel by far more.
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Case:
    """A model and what it reads; `new_tokens` are decoded after it, and none are where it is 0."""

    name: str
    model: str
    tokens: int
    new_tokens: int


CASES = [
    Case("tiny 64", "tiny", 64, 48),
    Case("tiny 256", "tiny", 256, 0),
    Case("small 64", "small", 64, 32),
    Case("small 256", "small", 256, 0),
    Case("translator", "translator", 0, 48),
]


@dataclass(frozen=True)
class Place:
    """What computes: a graphics card, or so many threads of the CPU."""

    name: str
    ours: list[str]
    device: str
    threads: int


def places(names):
    cores = len(os.sched_getaffinity(0))
    known = {
        "gpu": Place("graphics card", ["--device", "gpu"], "cuda", cores),
        # Their side of a run without a card, to see that everything works.
        "software": Place("software Vulkan", ["--device", "gpu"], "cpu", cores),
        "cpu-1": Place("CPU, 1 thread", [], "cpu", 1),
        "cpu-threads": Place(f"CPU, {cores} threads", ["--threads", str(cores)], "cpu", cores),
    }
    return [known[name] for name in names]


def main():
    options = arguments()
    # Full precision, as ours has it.
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    with tempfile.TemporaryDirectory() as directory:
        models = make_models(Path(directory), options.translator)
        cases = [
            measured(case, place, models, options)
            for place in places(options.devices)
            for case in CASES
            if options.only in case.name
        ]
    report = {
        "machine": machine(),
        "versions": versions(),
        "rounds": options.rounds,
        "cases": cases,
    }
    options.out.write_text(json.dumps(report, indent=2) + "\n")
    print(table(report))
    wrong = [f"{case['case']} on {case['device']}" for case in cases if not case["agrees"]]
    if wrong:
        sys.exit(f"the two sides differ: {', '.join(wrong)}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the numbers go")
    parser.add_argument(
        "--program", type=Path, default=ROOT / "target/release/examples/passes", help="ours"
    )
    parser.add_argument(
        "--translator", type=Path, default=ROOT / "assets/models/translator", help="the shipped one"
    )
    parser.add_argument(
        "--devices",
        nargs="+",
        default=["gpu", "cpu-1", "cpu-threads"],
        choices=["gpu", "software", "cpu-1", "cpu-threads"],
    )
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--rounds", type=int, default=2, help="A B A B with 2")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds before each series")
    parser.add_argument("--series", type=float, default=1.5, help="seconds of each series")
    parser.add_argument("--least", type=int, default=5, help="the fewest runs of each")
    return parser.parse_args()


def make_models(directory, translator):
    for name, sizes in SIZES.items():
        write_llama(directory / name, sizes, SEED)
    return {"translator": translator} | {name: directory / name for name in SIZES}


def measured(case, place, models, options):
    """The result of one case on one device, after all rounds."""
    directory = models[case.model]
    text = text_of(case, directory)
    torch.set_num_threads(place.threads)
    began = time.perf_counter()
    peer = (Translator if case.model == "translator" else Llama)(directory, place.device)
    create_ms = milliseconds(began)
    ours, theirs = [], []
    for _ in range(options.rounds):
        found, arrays = run_ours(case, place, directory, text, options)
        ours.append(found)
        theirs.append(run_theirs(peer, case, found, options))
    theirs[0]["create_ms"] = create_ms
    differs = differences(arrays, peer, ours[-1])
    agrees = all(differs[name] < TOLERANCE for name in ["logits", "attention"])
    same = all(found["written"] == ours[0]["written"] for found in [*ours, *theirs])
    print(f"{case.name} on {place.name}: {differs}, same tokens: {same}", flush=True)
    return {
        "case": case.name,
        "device": place.name,
        "adapter": ours[0]["adapter"],
        "new_tokens": case.new_tokens and len(ours[0]["written"]),
        "differs": differs,
        "agrees": agrees and same,
        "ours": summary(ours),
        "theirs": summary(theirs),
    }


def text_of(case, directory):
    """What our side is given to read: the tokens' numbers, or a sentence."""
    if case.model == "translator":
        return SENTENCE
    described = json.loads((directory / "bench.json").read_text())
    return " ".join(map(str, described["tokens"][: case.tokens]))


def run_ours(case, place, directory, text, options):
    """What our engine measured, in a process of its own, and the arrays of its first pass."""
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        budget = ["--warm-up", options.warm_up, "--series", options.series, "--least", options.least]
        command = [options.program, "--model", directory, "--text", text, "--out", file.name]
        command += ["--new-tokens", case.new_tokens, *place.ours, *budget]
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout), safetensors.torch.load_file(file.name)


@torch.inference_mode()
def run_theirs(peer, case, ours, options):
    """The same of PyTorch: the tokens that ours read, and as many decoded."""
    source, target = ours["source"], ours["target"]
    began = time.perf_counter()
    peer.read(source, target)
    found = {"create_ms": None, "first_ms": milliseconds(began), "prompt_ms": [], "decode_ms": []}
    found["pass_ms"] = times(lambda: peer.read(source, target), options)
    found["computed_ms"] = times(lambda: peer.compute(source, target), options)
    found["written"] = []
    if case.new_tokens:
        start = source or target
        found["prompt_ms"] = times(lambda: peer.decode(start, 1), options)
        found["decode_ms"] = times(lambda: peer.decode(start, case.new_tokens), options)
        found["written"] = peer.decode(start, case.new_tokens)
    return found


def times(run, options):
    """How long each of a series of runs takes, in milliseconds, after others that are not counted."""
    runs_of(run, options.warm_up, options.least)
    return runs_of(run, options.series, options.least)


def runs_of(run, seconds, least):
    began = time.perf_counter()
    found = []
    while len(found) < least or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        run()
        found.append(milliseconds(start))
    return found


class Peer:
    """A model of transformers on its device; attention is computed as written, so that its weights exist."""

    def __init__(self, family, directory, device, dtype=torch.float32):
        self.device = device
        self.model = family.from_pretrained(
            directory, dtype=dtype, attn_implementation="eager"
        ).to(device)
        self.model.eval()

    def row(self, tokens):
        return torch.tensor([tokens], device=self.device)

    def read(self, source, target):
        """A pass whose every attention weight and all logits become arrays of the host, by our names."""
        named = self.named(self.outputs(source, target))
        # The fastest way from the card: into memory that stays in its place, all copies at once.
        found = {name: array.to("cpu", non_blocking=True) for name, array in named.items()}
        self.wait()
        return found

    def compute(self, source, target):
        """The same pass, of which the attention of the last layer alone is read."""
        outputs = self.outputs(source, target)
        self.wait()
        return list(self.named(outputs).values())[-1].cpu()

    def wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def greedy(self, step, tokens, banned, count):
        """Appends the best token until the end, or `count` of them; the logits of each are read."""
        written = []
        while len(written) < count:
            logits = step(self.row(tokens))[0, -1].cpu()
            logits[banned] = -math.inf
            tokens = [int(logits.argmax())]
            written += tokens
            if tokens[0] == self.model.config.eos_token_id:
                break
        return written


class Llama(Peer):
    def __init__(self, directory, device, **how):
        super().__init__(LlamaForCausalLM, directory, device, **how)

    def outputs(self, _, target):
        return self.model(input_ids=self.row(target), output_attentions=True, use_cache=False)

    def named(self, outputs):
        named = {"logits": outputs.logits[0]}
        for layer, weights in enumerate(outputs.attentions):
            named[f"decoder.{layer}.self.pattern"] = weights[0]
        return named

    def decode(self, tokens, count):
        cache = None

        def step(row):
            nonlocal cache
            found = self.model(input_ids=row, past_key_values=cache, use_cache=True, logits_to_keep=1)
            cache = found.past_key_values
            return found.logits

        return self.greedy(step, tokens, [], count)


class Translator(Peer):
    def __init__(self, directory, device, **how):
        super().__init__(AutoModelForSeq2SeqLM, directory, device, **how)

    def outputs(self, source, target):
        return self.model(
            input_ids=self.row(source),
            decoder_input_ids=self.row(target),
            output_attentions=True,
            use_cache=False,
        )

    def named(self, outputs):
        stacks = {
            "encoder.{}.self": outputs.encoder_attentions,
            "decoder.{}.self": outputs.decoder_attentions,
            "decoder.{}.cross": outputs.cross_attentions,
        }
        named = {"logits": outputs.logits[0]}
        for name, layers in stacks.items():
            for layer, weights in enumerate(layers):
                named[f"{name.format(layer)}.pattern"] = weights[0]
        return named

    def decode(self, source, count):
        config = self.model.config
        states = self.model.get_encoder()(self.row(source)).last_hidden_state
        read = BaseModelOutput(last_hidden_state=states)
        cache = None

        def step(row):
            nonlocal cache
            found = self.model(
                encoder_outputs=read, decoder_input_ids=row, past_key_values=cache, use_cache=True
            )
            cache = found.past_key_values
            return found.logits

        start = [config.decoder_start_token_id]
        return self.greedy(step, start, [config.pad_token_id], count)


@torch.inference_mode()
def differences(ours, peer, tokens):
    """The largest absolute differences: of ours from theirs, and of both from PyTorch in double precision."""
    source, target = tokens["source"], tokens["target"]
    theirs = peer.read(source, target)
    double = peer.model.to(torch.float64)
    exact = peer.named(peer.outputs(source, target))
    exact = {name: array.cpu() for name, array in exact.items()}
    peer.model = double.to(torch.float32)
    if ours.keys() != exact.keys():
        sys.exit(f"ours are {sorted(ours)}, theirs {sorted(exact)}")
    return {
        "arrays": len(ours),
        **largest(ours, theirs, ""),
        **largest(ours, exact, "_ours_from_double"),
        **largest(theirs, exact, "_theirs_from_double"),
    }


def largest(left, right, suffix):
    """By kind of array, the largest absolute difference; NaN where anything is no number."""
    found = {"logits": 0.0, "attention": 0.0}
    for name, array in left.items():
        if array.shape != right[name].shape:
            sys.exit(f"{name} is {array.shape} of one side, {right[name].shape} of the other")
        kind = "logits" if name == "logits" else "attention"
        worst = float((array.double() - right[name].double()).abs().max())
        found[kind] = max(found[kind], worst) if math.isfinite(worst) else math.nan
    return {kind + suffix: worst for kind, worst in found.items()}


def summary(rounds):
    """Medians of the rounds' medians; the spread is half of the distance between the fastest and the slowest round."""
    found = {"create_ms": rounds[0]["create_ms"], "first_ms": rounds[0]["first_ms"]}
    for series in ["pass_ms", "computed_ms", "prompt_ms", "decode_ms"]:
        medians = [statistics.median(r[series]) for r in rounds if r[series]]
        if not medians:
            continue
        median = statistics.median(medians)
        found[series] = median
        found[series.replace("_ms", "_spread")] = (max(medians) - min(medians)) / 2 / median
        found[series.replace("_ms", "_quartiles_ms")] = quartiles([t for r in rounds for t in r[series]])
        found[series.replace("_ms", "_runs")] = sum(len(r[series]) for r in rounds)
    if "decode_ms" in found:
        after_first = len(rounds[0]["written"]) - 1
        found["tokens_per_s"] = 1e3 * after_first / (found["decode_ms"] - found["prompt_ms"])
    return found


def quartiles(values):
    first, _, third = statistics.quantiles(values, n=4)
    return [first, third]


def milliseconds(began):
    return (time.perf_counter() - began) * 1e3


def machine():
    processors = [
        line.split(":")[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "processor": processors[0],
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "platform": f"{platform.system()} {platform.machine()}",
        "card": torch.cuda.get_device_name(0) if torch.cuda.is_available() else None,
    }


def versions():
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "transformers": transformers.__version__,
    }


def table(report):
    """The results in Markdown, ours / theirs (ratio)."""
    lines = [
        "| case | device | first pass | pass, all read | spread | pass, little read | tokens/s | logits, attention differ |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for case in report["cases"]:
        ours, theirs, differs = case["ours"], case["theirs"], case["differs"]
        cells = [case["case"], case["device"]]
        cells += [pair(ours, theirs, name) for name in ["first_ms", "pass_ms"]]
        cells.append(f"±{100 * ours['pass_spread']:.1f} % / ±{100 * theirs['pass_spread']:.1f} %")
        cells.append(pair(ours, theirs, "computed_ms"))
        cells.append(rate(ours, theirs))
        cells.append(f"{differs['logits']:.1e}, {differs['attention']:.1e}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def pair(ours, theirs, name):
    return f"{ours[name]:.3g} / {theirs[name]:.3g} ms ({ours[name] / theirs[name]:.2f}×)"


def rate(ours, theirs):
    if "tokens_per_s" not in ours:
        return ""
    ours, theirs = ours["tokens_per_s"], theirs["tokens_per_s"]
    return f"{ours:.0f} / {theirs:.0f} ({theirs / ours:.2f}×)"


if __name__ == "__main__":
    main()
