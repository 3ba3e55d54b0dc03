"""Whether a cross-encoder that reads question and program together corrects a span parser.

    python benchmarks/rerank.py [--split length] [--seeds 0 1 2 3 4] [--data DIR] [--out FILE]

For each seed, GeoQuery's train is parted into two folds with other templates. A parser trained on
one lists the first programs of each question of the other. The cross-encoder that comes with the
parser of databases is trained further on these lists, in bf16. The weight of its score beside the
logarithm of a program's probability is the best one where a cross-encoder of one fold's lists
reranks those of the other. Then the parser trained on all of train is reranked on test. Settings of
the parser are those of its recipe.

Written to benchmarks/results/rerank.json; seeds that stand there are not run again.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch

from partwise import SpanParserConfig, TrainingConfig
from partwise.encoders.base import Encoder, make_encoder
from partwise.encoders.cross_encoder import CrossEncoder
from partwise.encoders.eight_bits import unpack
from partwise.encoders.readers import MINILM
from partwise.encoders.storage import write_json
from partwise.encoders.tensors import read_tensors
from partwise.evaluation.metrics import Outcome, Runner, score
from partwise.evaluation.splits import by_template, template
from partwise.interface.data import Example
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.span.parser import SpanParser
from partwise.training.store import WEIGHTS as TENSORS
from partwise.training.store import find_pretrained
from partwise_papers.databases.cross_encoder import RANK, CrossTraining, train_cross_encoder
from partwise_papers.databases.interpretations import Restated
from partwise_papers.domains.geoquery import GeoQuery
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.results.result import mean_ci95

OUT = Path(__file__).resolve().parent / "results" / "rerank.json"
FIRST, EPOCHS = 8, 4
"""Programs of a question that are reranked, and how often the cross-encoder sees the lists."""
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
METRICS = ("exact_match", "denotation")


class Listed(NamedTuple):
    """The first programs of a question: written out, their log-probabilities, how each comes out,
    and what the cross-encoder says of each."""

    example: Example[Term]
    programs: list[str]
    scores: list[float]
    outcomes: Sequence[Outcome]
    odds: Sequence[float] = ()

    def chosen(self, weight: float) -> Outcome | None:
        """How the best program comes out; without a weight, the first one."""
        if not self.programs:
            return None
        both = [s + weight * odd for s, odd in zip(self.scores, self.odds, strict=True)]
        return self.outcomes[both.index(max(both)) if weight else 0]


def written(term: Term) -> str:
    """A program in few pieces: without the brackets that single arguments need not."""
    inside = [text for text in map(written, term.args or ()) if text]
    name = term.symbol.replace("_", " ").strip()
    return f"{name} ( {' , '.join(inside)} )" if len(inside) > 1 else " ".join([name, *inside])


def trained(train: Sequence[Example[Term]], seed: int) -> SpanParser:
    """A parser with the settings of the recipe."""
    parser = SpanParser.create(GeoQuery(), SpanParserConfig(answer_type=2.0))
    parser.fit(train, [], TrainingConfig(seed=seed, keep="last", precision="bf16"))
    parser.eval()
    return parser


def lists(parser: SpanParser, examples: Sequence[Example[Term]], runner: Runner) -> list[Listed]:
    """The first programs of each question."""
    found = []
    predictions = parser.parse([example.question for example in examples], FIRST)
    for example, best in zip(examples, predictions, strict=True):
        kept = [p for p in (best, *best.alternatives) if p.meaning is not None]
        programs = [p.meaning for p in kept]
        of = [example] * len(kept)
        outcomes = score(parser.domain, of, programs, runner=runner).outcomes if kept else ()
        logs = [math.log(max(p.probability, 1e-300)) for p in kept]
        found.append(Listed(example, [written(p) for p in programs if p], logs, outcomes))
    return found


def shipped() -> tuple[Encoder, CrossEncoder]:
    """The cross-encoder of the parser of databases that comes with the package, and its encoder."""
    encoder = make_encoder(MINILM, [])
    made = CrossEncoder(encoder, RANK)
    tensors = unpack(read_tensors(find_pretrained("database") / TENSORS))
    for name, part in (("encoder.", encoder), ("cross_encoder.", made)):
        mine = {k.removeprefix(name): v for k, v in tensors.items() if k.startswith(name)}
        part.load_state_dict(mine)
    return encoder.requires_grad_(False), made


def compared(of: Sequence[Listed], seed: int) -> CrossEncoder:
    """That cross-encoder, trained further on lists. The gold program is added to those that lack
    it. Other programs with its answer are neither right nor wrong."""
    told = []
    for asked in of:
        pairs = zip(asked.programs, asked.outcomes, strict=True)
        kept = [(text, o.exact_match) for text, o in pairs if o.exact_match or not o.denotation]
        if not any(right for _, right in kept):
            kept.append((written(asked.example.meaning), True))
        told.append(Restated(asked.example.question, kept))
    encoder, start = shipped()
    # What is cached would hide the steps of training.
    with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
        return train_cross_encoder(encoder, told, CrossTraining(EPOCHS, seed), start=start)


@torch.no_grad()
def with_odds(of: Sequence[Listed], cross_encoder: CrossEncoder) -> list[Listed]:
    def told(asked: Listed) -> Listed:
        pairs = [(asked.example.question, text) for text in asked.programs]
        return asked._replace(odds=cross_encoder(pairs).tolist() if pairs else ())

    return [told(asked) for asked in of]


def shares(of: Sequence[Listed], weight: float) -> dict[str, float]:
    chosen = [asked.chosen(weight) for asked in of]
    return {m: fmean(bool(getattr(outcome, m, False)) for outcome in chosen) for m in METRICS}


def measured(split: str, seed: int, data: Path | None) -> dict[str, Any]:
    """One seed, from the folds to test."""
    domain, whole = GeoQuery(), load("geoquery", split, data)
    runner, half = Runner(domain), len(whole.train) // 2
    folds = by_template(whole.train, lambda e: template(e.meaning, domain), half, seed)
    left_out = [lists(trained(mine, seed), others, runner) for mine, others in (folds, folds[::-1])]
    inner = with_odds(left_out[1], compared(left_out[0], seed))
    tried = {weight: shares(inner, weight) for weight in WEIGHTS}
    weight = max(WEIGHTS, key=lambda w: (round(sum(tried[w].values()), 9), -w))
    test = lists(trained(whole.train, seed), whole.test, runner)
    test = with_odds(test, compared([*left_out[0], *left_out[1]], seed))
    first, reranked = shares(test, 0.0), shares(test, weight)
    among = {m: fmean(any(getattr(o, m) for o in x.outcomes) for x in test) for m in METRICS}
    return {
        "seed": seed,
        "weight": weight,
        "inner": {"first": tried[0.0], "reranked": tried[weight]},
        "first": first,
        "reranked": reranked,
        "gain": {metric: reranked[metric] - first[metric] for metric in METRICS},
        "among_first": among,
        "test_by_weight": {str(w): shares(test, w) for w in WEIGHTS},
        "commit": checkout_commit(),
    }


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Each metric over the seeds: of the first program, of the reranked one, and the gain."""
    made: dict[str, Any] = {metric: {} for metric in METRICS}
    for metric in METRICS:
        for kind in ("first", "reranked", "gain"):
            values = [row[kind][metric] for row in rows]
            mean, half = mean_ci95(values)
            made[metric][kind] = {"values": values, "mean": mean, "ci95": half}
    return made


def main() -> None:
    """Run the seeds that are missing, and write each down as it comes."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--split", default="length")
    options.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    options.add_argument("--data", type=Path)
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    torch.set_num_threads(1)
    rows = json.loads(given.out.read_text(encoding="utf-8"))["rows"] if given.out.exists() else []
    for seed in sorted(set(given.seeds) - {row["seed"] for row in rows}):
        rows.append(measured(given.split, seed, given.data))
        print(rows[-1], flush=True)
        of: dict[str, Any] = {"system": "span", "variant": "crf-sharp-last-answers"}
        of |= {"dataset": "geoquery", "split": given.split, "metrics": summary(rows)}
        of |= {"encoder": MINILM, "cross_encoder": "of the parser of databases", "first": FIRST}
        of |= {"seeds": [row["seed"] for row in rows]}
        of |= {"command": f"python benchmarks/rerank.py --split {given.split}"}
        write_json(given.out, {**of, "commit": rows[-1]["commit"], "rows": rows})


if __name__ == "__main__":
    main()
