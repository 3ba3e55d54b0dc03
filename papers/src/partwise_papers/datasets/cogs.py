"""Reader of COGS (Kim and Linzen 2020) with forms that have no variables (Qiu et al. 2022).

The folder holds ``{train,dev,test,gen}.tsv.gz``, each line a sentence, its form and its kind::

    The cat ate . <TAB> eat ( agent = * cat ) <TAB> in_distribution

Programs say the same in calls: ``* cat`` is ``*(cat)``, ``box ( nmod . in = tree )`` is
``nmod.in(box, tree)``, and single words have programs of their own: ``LAMBDA a . cat ( a )`` is
``cat``, and a verb alone ``eat(agent=_, theme=_)``.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from partwise.errors import DataError, ProgramSyntaxError
from partwise.interface.data import Dataset, Example
from partwise.interface.jsonl import examples_of_lines, lines_of, text_of
from partwise.language.program import DEEPEST, Term, TokenReader, parse_program

FILES = {"iid": "test", "gen": "gen"}
"""Split -> the file of its test part; the others are the same."""
SPLITS = tuple(FILES)
FORMAT = "SENTENCE<TAB>FORM<TAB>KIND"
_LAMBDA = re.compile(r"LAMBDA \w+ \. ")
_ROLE = re.compile(r"(\w+) \. (\w+) \( e , \w+ \)")
_NOUN = re.compile(r"(\w+) \( a \)")


def read_cogs(folder: str | Path, split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """One split: ``iid``, or ``gen``, whose test part generalizes in 21 ways (`Example.group`).

    Args:
        skip_bad: leave out lines that cannot be read, with a message for each in `skipped`.

    Raises:
        DataError: for an unknown split; a file that is missing, damaged or empty; a line with other
            columns, or a form that cannot be read.
    """
    if split not in SPLITS:
        raise DataError(f"cogs has no split {split!r}; it has {', '.join(SPLITS)}")
    dataset = Dataset[Term]("cogs", split, [], [], [])
    for part, examples in dataset.parts().items():
        name = f"{FILES[split] if part == 'test' else part}.tsv.gz"
        one = partial(_example, grouped=name == "gen.tsv.gz")
        file = Path(folder) / name
        read, bad = examples_of_lines(lines_of(file, FORMAT), one, file, name, FORMAT, skip_bad)
        examples += read
        dataset.skipped += bad
    return dataset


def _example(raw: bytes, source: str, grouped: bool) -> Example[Term]:
    columns = [column.strip() for column in text_of(raw).split("\t")]
    if len(columns) != 3 or not columns[0]:
        raise DataError(f"{len(columns)} columns, not 3 that are filled; expected {FORMAT}")
    try:
        program = read_form(columns[1])
    except ProgramSyntaxError as error:
        raise DataError(f"the form cannot be read; correct it: {error}") from error
    return Example(columns[0], program, source, group=columns[2] if grouped else "")


def read_form(text: str) -> Term:
    """The program of a form as it stands in the files; raises ProgramSyntaxError for a form that
    cannot be read."""
    bare = _LAMBDA.sub("", text)
    if bare != text:
        roles = sorted((role, verb) for verb, role in _ROLE.findall(bare))
        if roles:
            return parse_program(f"{roles[0][1]}({', '.join(f'{role}=_' for role, _ in roles)})")
        bare = _NOUN.sub(r"\1", bare)
    reader = _FormReader(bare)
    term = reader.term()
    if reader.kind != "end":
        raise reader.fail(f"unexpected {reader.token!r} after the form")
    return term


class _FormReader(TokenReader):
    """Recursive descent over a form without variables."""

    tokens = re.compile(
        r"\s*(?:(?P<word>nmod \. \w+|\w+)|(?P<mark>[*(),=])|(?P<end>\Z)|(?P<other>(?s:.)))"
    )
    error = ProgramSyntaxError

    def term(self, depth: int = 0) -> Term:
        if depth > DEEPEST:
            raise self.fail(f"form nested deeper than {DEEPEST} words")
        definite = self.token == "*"
        if definite:
            self.advance()
        word = self.take("a word", "word")
        roles = self.roles(depth) if self.token == "(" else {}
        own = {role: value for role, value in roles.items() if not role.startswith("nmod.")}
        term = Term(word, tuple(own.values()), keywords=tuple(own)) if own else Term(word)
        term = Term("*", (term,)) if definite else term
        for role in [role for role in roles if role not in own]:
            term = Term(role, (term, roles[role]))
        return term

    def roles(self, depth: int) -> dict[str, Term]:
        roles: dict[str, Term] = {}
        while not roles or self.token == ",":
            self.advance()
            role = self.take("a role", "word").replace(" ", "")
            self.expect("=")
            if role in roles:
                raise self.fail(f"the role {role} is given twice")
            roles[role] = self.term(depth + 1)
        self.expect(")", "',' or ')'")
        return roles
