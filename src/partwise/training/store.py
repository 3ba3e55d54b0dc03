"""The folder of a saved parser, whichever it is; its card; and saved parsers by name.

A folder holds config.json, manifest.json with the hashes of all files that are read, a model card,
which is not, and what the parser itself writes: model.safetensors, vocabularies, the files of its
encoder. Nothing in it is code, and reading it runs none; other files, such as pickled weights,
are never opened. Folders of format 1 may be from before there was a manifest, and need none.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from partwise.encoders.functions import GRAPH, has_graphs
from partwise.encoders.storage import check_size, read_json, read_made, read_shapes, write_json
from partwise.errors import CheckpointError, DataError, PartwiseError, PluginError
from partwise.interface.domain import AnyDomain
from partwise.interface.files import MOMENT, as_it_stands, standing, write_folder_whole
from partwise.interface.parser import Parser
from partwise.interface.registry import INFERENCE, PARSERS
from partwise.interface.settings import check, from_dict, setting

METRICS = ("denotation", "exact_match")
ASIDE = frozenset({"dev", "test", "tested", "settings"})
"""Facts of a training that have a place of their own in the card."""


def model_card(config: Mapping[str, Any], question: str) -> str:
    """The card in Markdown, with the head that model hubs read. `config`: the content of
    config.json; `question`: one that the parser can answer, for the example."""
    kind, facts = config["kind"], config["training"]
    head = ("library_name: partwise", f"tags: [partwise, semantic-parsing, {kind}-parser]")
    parts = [
        "\n".join(("---", *head, "---")),
        f"# A Partwise {kind} parser for `{config['domain']}`",
        config["about"],
        f"```python\n{_use(question)}\n```",
        *_figures(facts),
        *_making(facts),
    ]
    return "\n\n".join(parts) + "\n"


def _use(question: str) -> str:
    return (
        "from partwise import answer, load_parser\n\n"
        'parser = load_parser("this folder")\n'
        f"print(*answer(parser, [{question!r}]))"
    )


def _figures(facts: Mapping[str, Any]) -> list[str]:
    """How often it is right, on dev and on test where that was measured."""
    known = {part: facts[part] for part in ("dev", "test") if isinstance(facts.get(part), Mapping)}
    rows = [
        f"| {part} | {' | '.join(_percent(found.get(name)) for name in METRICS)} | {found['n']} |"
        for part, found in known.items()
        if "n" in found
    ]
    if not rows:
        return []
    table = ["| questions of | denotation | exact match | number |", "|---|---|---|---|", *rows]
    said = ["## Figures", "\n".join(table)]
    shares = known.get("test", {}).get("calibration")
    if shares:
        said.append(
            f"Calibration error on test: {_percent(shares['after'])} "
            f"({_percent(shares['before'])} before a temperature was fitted on dev). Where the "
            f"least probable tenth is left unanswered, {_percent(shares['at_90'])} of the answers "
            "are right."
        )
    return said


def _making(facts: Mapping[str, Any]) -> list[str]:
    rows = [
        f"| {name.replace('_', ' ')} | {value} |"
        for name, value in facts.items()
        if name not in ASIDE and not isinstance(value, Mapping)
    ]
    settings = facts.get("settings")
    if isinstance(settings, Mapping):
        rows.append("| settings | " + ", ".join(f"{k}={v}" for k, v in settings.items()) + " |")
    return ["## Training", "\n".join(("| | |", "|---|---|", *rows))] if rows else []


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


CONFIG, WEIGHTS, CARD, MANIFEST = "config.json", "model.safetensors", "README.md", "manifest.json"
ENCODER = "encoder"
"""The folder of an encoder's files beside its weights, in a parser's folder."""
FORMAT = 2
"""Of what is written. Format 1 is alike, but for a manifest that may be missing."""
MOST = 2**28
"""Bytes of a file beside the weights."""
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class SavedParser:
    """What config.json says of every parser; a kind of parser may have more.

    Attributes:
        format: of the folder.
        kind: of parser.
        domain: name of the language.
        about: a line for the card.
        parser: its settings.
        temperature: what scores are divided by for probabilities.
        training: what is known of it.
    """

    format: int = setting(least=1, most=FORMAT)
    kind: str
    domain: str
    about: str = ""
    parser: dict[str, Any]
    temperature: float = setting(1.0, least=1e-6, most=1e6)
    training: dict[str, Any]

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Manifest:
    """What manifest.json says.

    Attributes:
        sha256: a hash for each file that is read, by its path in the folder.
        format: of the folder.
        partwise: the version that wrote it.
    """

    sha256: dict[str, str] = field()
    format: int = setting(1, least=1, most=FORMAT)
    partwise: str = ""

    def __post_init__(self) -> None:
        check(self)
        for name, value in self.sha256.items():
            if not isinstance(value, str):
                raise PartwiseError(f"the hash of {name:.80} is no text")
            if Path(name).is_absolute() or ".." in Path(name).parts:
                raise PartwiseError(f"it names {name:.80}, outside of the folder")


def write_folder(
    folder: Path, config: Mapping[str, Any], write: Callable[[Path], object], example: str = "..."
) -> None:
    """Write a parser's own files, the configuration, the card and the manifest. The folder is put
    in the place of an old one in one step; what others have put into the old one is in the new one
    too.

    Args:
        config: what config.json says beside the format.
        write: writes the parser's own files into the folder that it is given.
        example: a question that it can answer, for the card.

    Raises CheckpointError if it cannot be written; what stood in the folder is left as it was.
    """

    def fill(place: Path) -> None:
        write(place)
        write_json(place / CONFIG, {"format": FORMAT, **config})
        write_manifest(place)
        # The card is for people, who may edit it.
        (place / CARD).write_text(model_card(config, example), encoding="utf-8")
        if folder.is_dir():
            _carry(folder, place)

    try:
        write_folder_whole(folder, fill)
    except OSError as error:
        raise CheckpointError(
            f"cannot write {folder}: {error}; free some space or choose another folder"
        ) from error


def write_manifest(folder: Path) -> None:
    """Write the hashes of all files of a folder but its card."""
    from partwise import __version__

    files = sorted(file for file in folder.rglob("*") if file.is_file())
    names = {file.relative_to(folder).as_posix(): file for file in files}
    hashes = {name: _hash(file) for name, file in names.items() if name not in (CARD, MANIFEST)}
    format_ = read_json(folder / CONFIG)["format"]
    made = {"format": format_, "partwise": __version__, "sha256": hashes}
    write_json(folder / MANIFEST, made)


def _carry(old: Path, new: Path) -> None:
    """Put what a folder has beside a parser's files into the folder that takes its place."""
    mine = {CONFIG, WEIGHTS, CARD, MANIFEST, ENCODER, *(entry.name for entry in new.iterdir())}
    if (old / MANIFEST).is_file():
        mine |= {Path(name).parts[0] for name in _manifest(old).sha256}
    for entry in old.iterdir():
        if entry.name not in mine and entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, new / entry.name, symlinks=True)
        elif entry.name not in mine:
            shutil.copy2(entry, new / entry.name, follow_symlinks=False)


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def manifest_digest(folder: Path) -> str:
    """Of all files of a saved parser; "" where it has no manifest."""
    return _hash(folder / MANIFEST) if (folder / MANIFEST).is_file() else ""


def _manifest(folder: Path) -> Manifest:
    return read_made(folder / MANIFEST, lambda given: from_dict(Manifest, given, "entries"))


def check_manifest(folder: Path, format_: int) -> None:
    """Compare the files with the manifest. `format_`: of the folder; in that of 1 there need be
    none. Raises CheckpointError naming the first file that is missing or is not what was
    written."""
    if not (folder / MANIFEST).exists():
        if format_ == 1:
            return
        raise CheckpointError(
            f"{folder / MANIFEST} is missing, which every parser of format {format_} has; copy the "
            "parser with all of its files"
        )
    known = _manifest(folder).sha256
    missing = {CONFIG} - set(known) if format_ > 1 else set()
    for name in (*missing, *known):
        file = folder / name
        if not file.is_file():
            raise CheckpointError(f"{file} is missing; copy or train the parser again")
        if name == WEIGHTS:
            # No time is spent on what is larger than its list of tensors says.
            read_shapes(file)
        else:
            check_size(file, MOST)
        if _hash(file) != known.get(name):
            raise CheckpointError(
                f"{file} is damaged or is not the file that was saved; copy or train it again"
            )


def read_notes(folder: Path) -> dict[str, Any]:
    """What config.json says that all kinds of parsers have, without a look at the manifest. Raises
    CheckpointError if the folder or the file is missing or damaged, or of another version."""
    if not folder.is_dir():
        raise CheckpointError(
            f"there is no folder {folder}; train a parser first: partwise train --help"
        )
    config = read_json(folder / CONFIG)
    own = {option.name for option in fields(SavedParser)}
    with reading(folder):
        if not isinstance(config, dict) or not isinstance(config.get("kind"), str):
            raise CheckpointError(f"{folder / CONFIG} does not say which kind of parser it is of")
        if config.get("format") not in range(1, FORMAT + 1) or config["format"] is True:
            raise CheckpointError(
                f"{folder} holds a {config['kind']:.20} parser of format "
                f"{config.get('format')!r:.20}; this version reads formats 1 to {FORMAT}: install "
                "a newer one"
            )
        given = {name: value for name, value in config.items() if name in own}
        return vars(from_dict(SavedParser, given, "entries"))


def kind_of(folder: Path) -> str:
    """The kind of parser that a folder holds, as its config.json says: ``span`` or ``graph``.
    Raises CheckpointError as `read_notes`."""
    return str(read_notes(folder)["kind"])


def read_config(folder: Path, kind: str, saved: type[SavedParser] | None = None) -> dict[str, Any]:
    """The content of config.json. `saved`: which entries there are, and no others; any if not
    given. Raises CheckpointError if the folder is missing, damaged, of another kind of parser or
    version."""
    first = read_notes(folder)
    if first["kind"] != kind:
        raise CheckpointError(
            f"{folder} holds a {first['kind']:.20} parser of format {first['format']}; this reads "
            f"{kind} parsers"
        )
    check_manifest(folder, first["format"])
    with reading(folder):
        config = dict(read_json(folder / CONFIG))
        return config if saved is None else vars(from_dict(saved, config, "entries"))


def steadily(folder: Path, read: Callable[[Path], T]) -> T:
    """What `read` makes of a folder as it is at one moment, though others are put in its place.
    `read`: told where to read. It is called again if the folder was replaced before the end. Raises
    CheckpointError of `read`."""
    end = time.monotonic() + 12 * MOMENT
    while (here := standing(folder)) is not None:
        place, before = folder, _identity(here)
        try:
            with as_it_stands(here) as place:
                return read(place)
        except (CheckpointError, FileNotFoundError) as error:
            # One that was away right after it was seen has no identity.
            moved = before is None or before != _identity(here)
            if not moved or time.monotonic() > end:
                raise CheckpointError(str(error).replace(str(place), str(folder))) from error
            time.sleep(0.01)
    raise CheckpointError(f"there is no folder {folder}")


def _identity(folder: Path) -> tuple[int, ...] | None:
    try:
        stat = os.stat(folder)
    except OSError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_ctime_ns


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Whatever is wrong with what config.json and the files beside it say, told as such. Raises
    CheckpointError in place of the errors inside."""
    try:
        yield
    except CheckpointError:
        raise
    except PartwiseError as error:
        raise CheckpointError(f"{folder / CONFIG}: {error}; train it again") from error
    except Exception as error:
        # Other libraries raise what they like for what they cannot build.
        raise CheckpointError(
            f"{folder / CONFIG} is damaged or lacks a file beside it ({type(error).__name__}: "
            f"{error!s:.500}); copy or train it again"
        ) from error


def run_name(dataset: str, split: str, variant: str, seed: int) -> str:
    """What the folder of a run is called. Raises DataError for what cannot be a part of it."""
    for what, name in (("data set", dataset), ("split", split), ("variant", variant)):
        if not re.fullmatch(r"[\w.+-]+", name, re.ASCII):
            raise DataError(
                f"{what} {name!r} cannot be part of a file name; use letters, digits, . _ + -"
            )
    return f"{dataset}-{split}-{variant}-{seed}"


_REPOSITORY = re.compile(r"(hf:)?([\w.-]+/[\w.-]+)")
_WANTED = (CONFIG, WEIGHTS, CARD, "*.json", f"*{GRAPH}", f"{ENCODER}/*")
"""What is fetched of a repository; never code."""


def find_shipped() -> dict[str, Path]:
    """The parsers that come with the package: name -> folder."""
    root = Path(str(files("partwise.domains.pretrained")))
    return {place.parent.name: place.parent for place in sorted(root.glob(f"*/{CONFIG}"))}


def load_parser(
    name: str | Path, domain: AnyDomain[Any] | None = None, *, trainable: bool = False
) -> Parser[Any]:
    """A saved parser of any kind, by a `name` as for `find_pretrained`; a domain that is not
    installed as a plug-in must be given. It answers, without torch if its folder has graphs of its
    networks; with `trainable` it can be trained on and saved, too. Raises CheckpointError if there
    is none, it cannot be fetched, it is damaged, or it needs torch and there is none, and
    PluginError for a kind of parser that is not installed."""

    def read(folder: Path) -> Parser[Any]:
        kind = kind_of(folder)
        graphs = not trainable and kind in INFERENCE and has_graphs(folder)
        return (INFERENCE.find(kind) if graphs else _trainable(kind, folder)).from_pretrained(
            folder, domain
        )

    return steadily(find_pretrained(name), read)


def _trainable(kind: str, folder: Path) -> type[Parser[Any]]:
    try:
        return PARSERS.find(kind)
    except PluginError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name == "torch":
            raise CheckpointError(
                f"{folder} can be used with torch alone, which is not installed: pip install "
                "'partwise[train]'; saved with that, a parser has graphs, which need no torch"
            ) from error
        raise


def find_pretrained(name: str | Path) -> Path:
    """The folder of a saved parser. `name`: a folder (a run's folder stands for the model inside),
    the name of a parser that comes with the package, or hf:OWNER/NAME of a Hugging Face repository
    (the ``hf:`` may be left out of a text), which is fetched unless it was before. Raises
    CheckpointError if there is none, or it cannot be fetched."""
    folder = standing(model_folder(Path(name)))
    if folder is not None:
        return folder
    known = find_shipped()
    if str(name) in known:
        return known[str(name)]
    repository = _REPOSITORY.fullmatch(str(name))
    # A path that is misspelt must not reach for the network.
    if repository is not None and (repository[1] or isinstance(name, str)):
        return _fetch(repository[2])
    raise CheckpointError(
        f"there is no saved parser {str(name)!r}: it is no folder, none of those that come with "
        f"the package ({', '.join(known) or 'none'}), and no hf:OWNER/NAME of a Hugging Face "
        "repository; train one with: partwise train --help"
    )


def model_folder(given: Path) -> Path:
    """The folder itself, or ``model`` in the folder of a training run."""
    inside = given / "model"
    return inside if standing(inside) is not None and not (given / CONFIG).exists() else given


def _fetch(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=list(_WANTED)))
    except (HFValidationError, HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise CheckpointError(
            f"{name!r} is no folder here, and cannot be fetched as a repository ({reason}); check "
            "the name and the connection"
        ) from error
