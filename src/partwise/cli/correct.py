"""What a person corrects of a database: ``confirm``, ``test``, ``synonym`` and ``improve``."""

from __future__ import annotations

import getpass
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from partwise.cli.common import Json, Threads, flag, option, print_json
from partwise.cli.own import DatabaseFolder, check_folder
from partwise.cli.serve import with_domain
from partwise.cli.sources import Load, ParserSource
from partwise.drawing import clean
from partwise.errors import DataError

Source = Annotated[ParserSource, Parameter(name="*")]


def confirm(
    domain: DatabaseFolder,
    question: Annotated[str, Parameter(help="The question, in quotes.")],
    /,
    *,
    means: Annotated[
        str, option("The program that it means, as an answer has it.", "--means")
    ] = "",
    number: Annotated[
        int | None,
        option("The interpretation that is meant, as ask numbers them.", "--option", "-n"),
    ] = None,
    who: Annotated[str, option("Who says so; without it, the user's name.", "--who")] = "",
    source: Source = ParserSource(),  # noqa: B008
    threads: Threads = 1,
) -> None:
    """Write down what a question to a database means; it is kept.

    It stands in confirmed.jsonl in the folder of the database. The same question, and nearly the
    same one, is answered by it from then on, and says so.
    """
    from partwise.database.correcting import confirm as write_down

    parser = _parser(domain, source, threads)
    entry = write_down(parser, question, who or getpass.getuser(), means, number)
    meaning = parser.domain.explain(parser.domain.read(entry.program))
    print(f"wrote  {Path(domain) / 'confirmed.jsonl'}: {clean(question)}")
    print(f"means  {clean(meaning.restated)}")


def test(
    domain: DatabaseFolder,
    /,
    *,
    source: Source = ParserSource(),  # noqa: B008, PT028
    threads: Threads = 1,  # noqa: PT028
    json: Json = False,  # noqa: PT028
) -> int:
    """Ask all confirmed questions again, and show what changed.

    Exits with 1 if one of them can no longer be answered, or is no longer found without the file
    that confirms it.
    """
    from partwise.database.correcting import ask_again

    asked = list(ask_again(_parser(domain, source, threads)))
    counts = Counter(each.status for each in asked)
    if json:
        print_json({"counts": counts, "questions": [each._asdict() for each in asked]}, indent=1)
    else:
        for each in asked:
            if each.status != "same":
                said = each.why or f"taken by itself for: {each.now or 'nothing'}"
                print(f"{each.status:7} {clean(each.question)}: {clean(said)}")
        shown = ", ".join(f"{number} {status}" for status, number in counts.items())
        print(f"asked   {len(asked)} confirmed questions: {shown or 'none'}")
    return 1 if counts["lost"] or counts["changed"] else 0


def synonym(
    domain: DatabaseFolder,
    word: Annotated[str | None, Parameter(help="A word or words that people say.")] = None,
    place: Annotated[
        str | None, Parameter(help="What they mean: TABLE, TABLE.COLUMN or a measure, as stored.")
    ] = None,
    /,
    *,
    undo: Annotated[bool, flag("Take the last change back.", "--undo")] = False,
) -> None:
    """Write into the file of a database what a word means, or undo that.

    The change is shown.
    """
    from partwise.database.correcting import Synonym, undo_synonyms, write_synonyms

    check_folder(domain)
    if undo and word is None:
        print(undo_synonyms(Path(domain)))
    elif undo or not word or not place:
        raise DataError("name a word and what it means, or give --undo alone")
    else:
        print(write_synonyms(Path(domain), [Synonym(word, place)]))


def improve(
    domain: DatabaseFolder,
    /,
    *,
    write: Annotated[bool, flag("Write them into the file of the database.", "--write")] = False,
    source: Source = ParserSource(),  # noqa: B008
    threads: Threads = 1,
) -> None:
    """Propose synonyms that let more of the confirmed questions be found.

    None is lost by them. They are words that were passed over, and what the confirmed meanings use.
    `partwise synonym FOLDER --undo` takes back what was written.
    """
    from partwise.database.correcting import propose_synonyms, write_synonyms

    found = propose_synonyms(_parser(domain, source, threads))
    for word, place in found:
        print(f"{clean(word)} means {clean(place)}")
    if not found:
        print("nothing that was tried would help")
    elif write:
        print(write_synonyms(Path(domain), found))
    else:
        print(f"next   partwise improve {domain} --write")


def _parser(domain: str, source: ParserSource, threads: int) -> Any:
    check_folder(domain)
    return Load(with_domain(source, domain), threads)().parser
