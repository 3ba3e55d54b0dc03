"""CLEVR and CLOSURE: questions on scenes with functional programs, as examples with terms.

Split "iid" tests on CLEVR's val questions, "closure" on the seven kinds of CLOSURE, which combine
CLEVR's references in new ways (Bahdanau et al. 2019); both train on the same 10,000 questions.
Two layouts are read, each file as ``.json`` or ``.json.gz``::

    CLEVR_v1.0/questions/CLEVR_{train,val}_questions.json         (as released)
    CLEVR_v1.0/scenes/CLEVR_{train,val}_scenes.json
    CLEVR_v1.0/closure/and_mat_spa_val.json, ...                  (or closure/ beside it)

    clevr/regenerated/CLEVR_{train,val}_questions.json        (made again; see `has_own_questions`)
    clevr/regenerated/CLOSURE_and_sim_loc_val.json, ...
    clevr/CLEVR_{train,val}_scenes_*.json
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise.interface.data import Dataset, Example
from partwise.language.program import Term
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.functional import from_functional
from partwise_papers.domains.scenes.scene import read_array, read_scenes

REGENERATED = "regenerated"
TRAIN, DEV = 10_000, 5_000
KINDS = (
    ("and_sim_loc", "and_mat_spa"),
    ("chain_loc_sim", "embed_spa_mat"),
    ("chain_sim_loc", "embed_mat_spa"),
    ("compare_sim", "compare_mat"),
    ("compare_sim_loc", "compare_mat_spa"),
    ("or_sim", "or_mat"),
    ("or_sim_loc", "or_mat_spa"),
)
"""The seven kinds of CLOSURE, by the names of its template files and of its released files."""
PLACES = (REGENERATED, "questions", "scenes", "", "closure", "CLOSURE", "..", "../closure")

Numbered = tuple[int, Any]
"""An entry of a question file, not yet checked, with its place in the file from 0."""


def has_own_questions(folder: str | Path) -> bool:
    """Whether the questions in a folder are not the released ones.

    Such questions are made by the official generator and templates on official scenes, and stand
    in a folder `REGENERATED`. Figures on them must say so.
    """
    return (Path(folder) / REGENERATED).is_dir()


def question_file(folder: Path, part: str) -> Path:
    """CLEVR's questions for "train" or "val"; raises DataError if there are none."""
    return _find(folder, [f"CLEVR_{part}_questions.json"])


def scene_file(folder: Path, part: str) -> Path:
    """CLEVR's scenes for "train" or "val"; raises DataError if there are none."""
    return _find(folder, [f"CLEVR_{part}_scenes.json", f"CLEVR_{part}_scenes_*.json"])


def closure_files(folder: Path) -> dict[str, Path]:
    """CLOSURE's questions by the name of their kind, as the files have it; raises DataError if a
    kind is missing."""
    found = {}
    for names in KINDS:
        patterns = [f"{prefix}{name}_val.json" for name in names for prefix in ("CLOSURE_", "")]
        file = _find(folder, patterns)
        stem = plain_stem(file).removeprefix("CLOSURE_").removesuffix("_val")
        found[stem] = file
    return found


def plain_stem(file: Path) -> str:
    """A file's name without ``.json`` and ``.gz``."""
    return file.name.removesuffix(".gz").removesuffix(".json")


def _find(folder: Path, patterns: Iterable[str]) -> Path:
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; expected the files of CLEVR there")
    names = [pattern + suffix for pattern in patterns for suffix in ("", ".gz")]
    for place in PLACES:
        for name in names:
            found = sorted((folder / place).glob(name))
            if found:
                return found[0]
    raise DataError(
        f"{folder}: has none of {', '.join(names)}, also not in "
        f"{', '.join(place for place in PLACES if place)}; unpack the release there"
    )


def train_and_dev(file: Path) -> tuple[list[Numbered], list[Numbered]]:
    """The first 10,000 questions of a file for training, and the last 5,000 for development; raises
    DataError as `read_array`; also for fewer than two questions.

    This is what Herzig and Berant (2021, section 4.1) do. Of a file with fewer than 15,000, the
    last tenth is for development and the rest for training. All entries are decoded, but only
    these are kept.
    """
    entries = enumerate(read_array(file, "questions"))
    head = list(islice(entries, TRAIN))
    tail = deque(entries, maxlen=DEV)
    if tail and tail[-1][0] + 1 >= TRAIN + DEV:
        return head, list(tail)
    pool = head + list(tail)
    if len(pool) < 2:
        raise DataError(f"{file}: has {len(pool)} questions, too few for train and dev")
    dev = max(1, len(pool) // 10)
    return pool[:-dev], pool[-dev:]


SPLITS = ("iid", "closure")
COMPARISONS = {"equal_integer", "less_than", "greater_than"}


def read_clevr(folder: str | Path, split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """Read one split; raises DataError for an unknown split, a missing or damaged file, and (unless
    `skip_bad`) for a question or a scene of another form.

    `Example.source` and `id` are as ``CLEVR_val_questions:17``, numbered from 0 as in the files;
    `context` is the `Scene`, `answer` is as in the released files (``yes``, ``3``, ``red``), and
    `group` is the template's file as far as the data name it, else what the question asks for
    (as ``compare_integer``); for CLOSURE, its kind.
    """
    if split not in SPLITS:
        raise DataError(f"clevr has no split {split!r}; it has {', '.join(SPLITS)}")
    place = Path(folder)
    reader = _Reader(place, skip_bad)
    file = question_file(place, "train")
    head, tail = (reader.questions(file, part) for part in train_and_dev(file))
    train, dev = reader.in_scenes("train", head, tail)
    files = {"": question_file(place, "val")} if split == "iid" else closure_files(place)
    asked = [
        example
        for kind, found in files.items()
        for example in reader.questions(found, enumerate(read_array(found, "questions")), kind)
    ]
    (test,) = reader.in_scenes("val", asked)
    return Dataset("clevr", split, train, dev, test, reader.skipped)


class _Reader:
    """Reads questions, then the scenes that they are about; before, their numbers stand there."""

    def __init__(self, folder: Path, skip_bad: bool) -> None:
        self.folder, self.skip_bad = folder, skip_bad
        self.skipped: list[str] = []
        self.domain = Scenes()
        # 150,000 programs fit in memory since equal parts of them are one object.
        self.terms: dict[Term, Term] = {}

    def questions(
        self, file: Path, numbered: Iterable[Numbered], group: str = ""
    ) -> list[Example[Term]]:
        """The questions of a file; `group` stands for what they say of it themselves."""
        found = []
        for number, fields in numbered:
            source = f"{plain_stem(file)}:{number}"
            try:
                question, program, image = question_fields(fields)
                term = self.domain.canonical(from_functional(program))
                term = term.map(lambda part: self.terms.setdefault(part, part))
                answer, of = _answer(fields.get("answer")), group or _group(fields)
                found.append(Example(question, term, source, source, image, answer, of))
            except DataError as error:
                self.bad(f"{file}: question {number}: {error}")
        return found

    def in_scenes(self, part: str, *groups: list[Example[Term]]) -> list[list[Example[Term]]]:
        """The questions with their scenes, from those of "train" or "val"."""
        file = scene_file(self.folder, part)
        wanted: set[Any] = {example.context for group in groups for example in group}
        scenes = read_scenes(file, wanted, self.skipped if self.skip_bad else None)
        for example in (example for group in groups for example in group):
            if example.context not in scenes:
                self.bad(f"{example.source}: {file} has no usable scene {example.context}")
        return [
            [replace(e, context=scenes[e.context]) for e in group if e.context in scenes]
            for group in groups
        ]

    def bad(self, message: str) -> None:
        if not self.skip_bad:
            raise DataError(message)
        self.skipped.append(message)


def question_fields(fields: Any) -> tuple[str, list[Any], int]:
    """Question, functional program and number of the image of an entry; raises DataError if one of
    them is missing or of another form."""
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
