"""CLEVR and CLOSURE: questions on scenes with functional programs, as examples with terms.

Split "iid" tests on CLEVR's val questions, "closure" on the seven kinds of CLOSURE, which combine
CLEVR's references in new ways (Bahdanau et al. 2019); both train on the same 10,000 questions.
The files and parts are described in `clevr_files`; whether a folder has the released questions or
others made again is told by `is_regenerated`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise.interface.data import Dataset, Example
from partwise.language.program import Term
from partwise_papers.datasets.clevr_files import (
    Numbered,
    all_entries,
    closure_files,
    is_regenerated,
    plain_stem,
    question_file,
    scene_file,
    train_and_dev,
)
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.files import read_scenes
from partwise_papers.domains.scenes.functional import from_functional
from partwise_papers.domains.scenes.scene import Scene

__all__ = ["SPLITS", "is_regenerated", "read_clevr"]

SPLITS = ("iid", "closure")
COMPARISONS = {"equal_integer", "less_than", "greater_than"}


def read_clevr(folder: str | Path, split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """Read one split.

    `Example.source` and `id` are as ``CLEVR_val_questions:17``, numbered from 0 as in the files;
    `context` is the `Scene`, `answer` is as in the released files (``yes``, ``3``, ``red``), and
    `group` is the template's file as far as the data name it, else what the question asks for
    (as ``compare_integer``); for CLOSURE, its kind.

    Raises:
        DataError: for an unknown split, a missing or damaged file, and (unless `skip_bad`) for a
            question or a scene of another form.
    """
    if split not in SPLITS:
        raise DataError(f"clevr has no split {split!r}; it has {', '.join(SPLITS)}")
    place = Path(folder)
    reader = _Reader(place, skip_bad)
    file = question_file(place, "train")
    head, tail = (reader.entries(file, part) for part in train_and_dev(file))
    train, dev = reader.examples("train", head, tail)
    if split == "iid":
        val = question_file(place, "val")
        entries = reader.entries(val, all_entries(val))
    else:
        entries = [
            entry
            for kind, found in closure_files(place).items()
            for entry in reader.entries(found, all_entries(found), kind)
        ]
    (test,) = reader.examples("val", entries)
    return Dataset("clevr", split, train, dev, test, reader.skipped)


@dataclass(frozen=True)
class _Entry:
    """A question that has been read, but for its scene."""

    question: str
    program: Term
    image: int
    answer: Hashable | None
    group: str
    source: str


class _Reader:
    """Reads questions, then the scenes that they are about."""

    def __init__(self, folder: Path, skip_bad: bool) -> None:
        self.folder, self.skip_bad = folder, skip_bad
        self.skipped: list[str] = []
        self.domain = Scenes()
        # 150,000 programs fit in memory since equal parts of them are one object.
        self.terms: dict[Term, Term] = {}

    def entries(self, file: Path, numbered: Iterable[Numbered], group: str = "") -> list[_Entry]:
        """The questions of a file; `group` stands for what they say of it themselves."""
        found = []
        for number, fields in numbered:
            try:
                found.append(self.entry(fields, group, f"{plain_stem(file)}:{number}"))
            except DataError as error:
                self.bad(f"{file}: question {number}: {error}")
        return found

    def entry(self, fields: Any, group: str, source: str) -> _Entry:
        question, program, image = question_fields(fields)
        term = self.domain.canonical(from_functional(program))
        return _Entry(
            question,
            term.map(self.shared),
            image,
            _answer(fields.get("answer")),
            group or _group(fields),
            source,
        )

    def shared(self, term: Term) -> Term:
        return self.terms.setdefault(term, term)

    def examples(self, part: str, *groups: list[_Entry]) -> list[list[Example[Term]]]:
        """The questions with their scenes, from the scenes of "train" or "val"."""
        wanted = {entry.image for group in groups for entry in group}
        file = scene_file(self.folder, part)
        scenes = read_scenes(file, wanted, self.skipped if self.skip_bad else None)
        return [self.joined(group, scenes, file) for group in groups]

    def joined(
        self, entries: list[_Entry], scenes: dict[int, Scene], file: Path
    ) -> list[Example[Term]]:
        found = []
        for entry in entries:
            scene = scenes.get(entry.image)
            if scene is None:
                self.bad(f"{entry.source}: {file} has no usable scene {entry.image}")
                continue
            found.append(
                Example(
                    entry.question,
                    entry.program,
                    entry.source,
                    id=entry.source,
                    context=scene,
                    answer=entry.answer,
                    group=entry.group,
                )
            )
        return found

    def bad(self, message: str) -> None:
        if not self.skip_bad:
            raise DataError(message)
        self.skipped.append(message)


def question_fields(fields: Any) -> tuple[str, list[Any], int]:
    """Question, functional program and number of the image of an entry.

    Raises:
        DataError: if one of them is missing or of another form.
    """
    if not isinstance(fields, dict):
        raise DataError("not an object with question, program and image_index")
    question, program, image = (fields.get(k) for k in ("question", "program", "image_index"))
    if not isinstance(question, str) or not question.strip():
        raise DataError(f"'question' must be a text that is not empty, not {question!r:.80}")
    if not isinstance(program, list):
        raise DataError(f"'program' must be a list of nodes, not {program!r:.80}")
    if type(image) is not int:
        raise DataError(f"'image_index' must be a number, not {image!r:.80}")
    return question.strip(), program, image


def _answer(raw: Any) -> str | None:
    if isinstance(raw, bool):
        return "yes" if raw else "no"
    if raw is None or isinstance(raw, str | int):
        return None if raw is None else str(raw)
    raise DataError(f"'answer' must be a text, a number or a truth value, not {raw!r:.80}")


def _group(fields: dict[str, Any]) -> str:
    template = fields.get("template_filename")
    if isinstance(template, str) and template:
        return template.rsplit("/", 1)[-1].removesuffix(".json")
    # The released files do not name the template; these are the kinds of CLEVR's own tables.
    last = fields["program"][-1]
    name = str(last.get("function", last.get("type")))
    if name in COMPARISONS:
        return "compare_integer"
    head = name.partition("_")[0]
    return {"equal": "compare_attribute", "query": "query_attribute"}.get(head, head)
