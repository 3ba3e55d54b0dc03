"""Which saved parser a command uses where the user names none."""

from __future__ import annotations

from pathlib import Path

from partwise.cli.common import MODEL_VARIABLE, RUNS, find_domain, own_domain, warn
from partwise.cli.own import written_out
from partwise.errors import CheckpointError
from partwise.training.hub import shipped


def default_model(domain: str | None = None) -> Path:
    """Where a parser is looked for without ``--model``.

    That is the newest run in ``runs/`` that was trained on the domain, or else the parser that
    comes with the package. Without a domain it is geography.

    Raises:
        CheckpointError: if there is none; says how to make it.
    """
    from partwise.interface.registry import DATASETS, DOMAINS, GRAPH_DOMAINS

    given = domain if domain is not None else "geography"
    known = given in DOMAINS or given in GRAPH_DOMAINS
    name = given if known else _own_name(given)
    found = [file.parent for file in RUNS.glob("*/model/config.json") if _is_of(file, name)]
    if found:
        return max(found, key=lambda folder: (folder / "config.json").stat().st_mtime)
    if name in shipped():
        introduce(shipped()[name])
        return shipped()[name]
    data = next((n for n, info in DATASETS.items() if info.domain == name), None)
    how = (
        f"partwise train {data}" if data else f"partwise train --domain {given} --train FILE.jsonl"
    )
    more = "" if data is None or DATASETS[data].shipped else " --data DIR"
    raise CheckpointError(
        f"no --model was given, {MODEL_VARIABLE} is not set, no parser of {name} is in {RUNS}, and "
        f"none comes with the package; make one with: {how}{more}"
    )


def _own_name(given: str) -> str:
    """What saved parsers call a domain of the user's."""
    written = written_out(given)
    return (own_domain(written) if ":" in written else find_domain(given)).name


def introduce(folder: Path) -> None:
    """Say which parser of the package answers, and how often it is right."""
    from partwise.encoders.storage import read_json

    tested = read_json(folder / "config.json")["training"].get("tested", {})
    known = "; ".join(
        f"{100 * share:.1f} % right on the test questions of {split}"
        for split, share in tested.items()
    )
    warn(f"using the parser of {folder.name} that comes with the package ({known or 'untested'})")


def _is_of(config: Path, domain: str) -> bool:
    """Whether a saved parser is of a domain, and trained on more than inner splits."""
    from partwise.encoders.storage import read_json

    try:
        found = read_json(config)
        return found["domain"] == domain and "-inner-" not in str(found["training"].get("split"))
    except (CheckpointError, LookupError, TypeError, AttributeError):
        return False
