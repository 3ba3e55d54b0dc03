"""Data sets made ready for training: an inner split to choose by, gold programs that run."""

from __future__ import annotations

from dataclasses import replace

from partwise.errors import PartwiseError
from partwise.evaluation.metrics import Runner
from partwise.evaluation.splits import Kind, inner_split, program_length, template
from partwise.interface.data import Dataset, Example
from partwise.language.domain import Domain
from partwise.language.program import Term


def inner_dataset(
    dataset: Dataset[Term], kind: Kind, domain: Domain, share: float = 0.25
) -> Dataset[Term]:
    """Part the training set as the whole set was parted; the held-out part stands as test.

    Hyper-parameters chosen on it have not seen the test set. Dev keeps only questions that are
    like the inner training set, as dev is like the whole training set: no template of the
    held-out part for ``template``, nothing longer than what is trained on for ``length``. The
    split is named as ``iid-inner-template``.

    Raises:
        DataError: for an unknown kind, or if a part would be empty.
    """
    train, held = inner_split(dataset.train, kind, domain, share=share)
    dev = dataset.dev
    if kind == "template":
        new = {template(domain.canonical(example.meaning), domain) for example in held}
        dev = [e for e in dev if template(domain.canonical(e.meaning), domain) not in new]
    elif kind == "length":
        longest = max(map(program_length, train))
        dev = [example for example in dev if program_length(example) <= longest]
    split = f"{dataset.split}-inner-{kind}"
    return replace(dataset, split=split, train=train, dev=dev or dataset.dev, test=held)


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
