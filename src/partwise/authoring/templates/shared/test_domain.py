"""What must hold of this domain: run with `pytest mydomain`."""

from __future__ import annotations

import json
from pathlib import Path

from mydomain.domain import MyDomain

from partwise import SpanParserConfig, TrainingConfig, train
from partwise.authoring.validation import validate_domain
from partwise.interface.data import Dataset
from partwise.interface.jsonl import read_jsonl
from partwise.language.program import parse_program

HERE = Path(__file__).parent
PAIRS, UNSEEN = HERE / "pairs.jsonl", HERE / "unseen.jsonl"


def answers(file: Path) -> list[list[str]]:
    """The answers that the file gives."""
    return [sorted(json.loads(line)["answer"]) for line in file.read_text("utf-8").splitlines()]


def test_every_pair_types_is_reachable_and_gives_its_answer() -> None:
    for file in (PAIRS, UNSEEN):
        report = validate_domain(MyDomain(), file)
        assert not report.errors, "\n".join(map(str, report.errors))


def test_a_trained_parser_answers_new_combinations(tmp_path: Path) -> None:
    domain = MyDomain()
    pairs, unseen = (read_jsonl(file, parse_program)[0] for file in (PAIRS, UNSEEN))
    assert not {e.meaning for e in pairs} & {e.meaning for e in unseen}
    data = Dataset("mydomain", "own", train=pairs, dev=pairs, test=unseen)
    config = SpanParserConfig(encoder="bilstm")
    settings = TrainingConfig(epochs=20, batch_size=2)
    session = train("span", domain, data, config, settings, folder=tmp_path, progress=False)
    for example, answer in zip(unseen, answers(UNSEEN), strict=True):
        program = session.parser.parse([example.question])[0].meaning
        assert program is not None, example.question
        assert sorted(domain.show(domain.run(program))) == answer, (example.question, program)
