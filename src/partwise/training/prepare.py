"""Data sets made ready for training: gold programs that run."""

from __future__ import annotations

from dataclasses import replace

from partwise.errors import PartwiseError
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset, Example
from partwise.language.domain import Domain
from partwise.language.program import Term


def without_failing(dataset: Dataset[Term], domain: Domain) -> Dataset[Term]:
    """Dev and test without examples whose gold program does not run; they are in `skipped`."""
    runner = Runner(domain)
    skipped = list(dataset.skipped)

    def runs(example: Example[Term]) -> bool:
        try:
            runner.denotation(example.meaning, example.context)
        except PartwiseError as error:
            skipped.append(f"{example.source}: the gold program fails to run: {error}")
            return False
        return True

    dev = [example for example in dataset.dev if runs(example)]
    test = [example for example in dataset.test if runs(example)]
    return replace(dataset, dev=dev, test=test, skipped=skipped)
