"""The command line as an app: commands that are loaded when called, and errors in one line."""

import difflib
import gc
import os
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from partwise import __version__
from partwise.cli.common import STDIN, typed
from partwise.errors import PartwiseError, PluginError
from partwise.interface.prediction import JSON_VERSION
from partwise.interface.registry import Registry

COMMANDS = {
    "train": ("train", "Train a parser on a known data set or on your own files, and save it."),
    "evaluate": ("evaluate", "Measure a parser: exact match, equal answers, no parses."),
    "calibrate": ("evaluate", "Fit when a saved parser answers, without training it again."),
    "parse": ("ask", "Show what questions mean, with the words that gave each part."),
    "ask": ("ask", "Answer questions, and show how the answers came about."),
    "chat": ("ask", "Ask one question after the other, each of which may go on from the last."),
    "serve": ("serve", "Serve a page where one asks, and a JSON API; /openapi.json describes it."),
    "mcp": (
        "serve",
        "Serve tools that ask, go on and explain to an assistant, by the Model Context Protocol.",
    ),
    "new": ("own", "Write a small domain of your own that works at once, to be changed."),
    "refresh": (
        "own",
        "Read a database again that has changed: its tables, columns and stored names.",
    ),
    "convert": (
        "own",
        "Write the file of a database as a Python module in place of YAML, or the other way round.",
    ),
    "learn": ("own", "Learn a domain and a parser from questions and programs alone."),
    "check": ("own", "Check a domain of your own and its examples: what cannot work, and why."),
    "confirm": ("correct", "Write down what a question to a database means; it is kept."),
    "test": ("correct", "Ask all confirmed questions again, and show what changed."),
    "synonym": ("correct", "Write into the file of a database what a word means, or undo that."),
    "improve": ("correct", "Propose synonyms that let more of the confirmed questions be found."),
    "curve": ("own", "Show how much is learned from how many examples, and what more would bring."),
    "config": ("train", "Print the settings of a parser and its training, for train --config."),
}
"""Command -> its module, and the first line of its docstring, so that help imports nothing."""
PAPERS = ("report", "reproduce", "generate", "data", "plot", "database-parser")
"""Commands that the package partwise-papers brings."""
PLUGINS: Registry[Any] = Registry("partwise.commands", "command")
DEBUG = "--debug"
FLAGS = ("-h", "--help", "--version")
HELP = "Learn to turn questions into programs that run, and see which words gave which part."
EPILOGUE = (
    "Begin with: partwise train geography --out runs/geography, then partwise ask. For questions "
    "of your own: partwise new NAME. With --debug, errors show where in the program they arose."
)

AnyTokens = Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]


def make_app(called: str | None = None) -> App:
    """The app, for help on all commands or for the one that is `called`; no plug-in but its own is
    imported then. Raises PluginError if the command of a plug-in cannot be imported."""
    app = new_app(
        "partwise",
        version=f"partwise {__version__}",
        help=HELP,
        help_epilogue=EPILOGUE if called is None else "",
    )
    for name, (module, summary) in COMMANDS.items():
        if called == name == "train":
            # Made for the parser that is trained.
            continue
        # Without help given here, a command shows its docstring.
        given = None if called == name else summary
        app.command(f"partwise.cli.{module}:{name}", name=name, help=given)
    for name in sorted({*PLUGINS, *PAPERS} - {*COMMANDS}):
        if name not in PLUGINS:
            app.command(_missing(name), name=name, show=False, help_flags=[])
        elif called in (None, name):
            app.command(PLUGINS.find(name), name=name)
    return app


def new_app(name: str, **more: Any) -> App:
    return App(
        name=name,
        help_flags=["-h", "--help"],
        help_format="markdown",
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        default_parameter=Parameter(negative_iterable=()),
        **more,
    )


TRAINING = ("torch", "transformers", "numba", "onnx")
"""Packages of the extra `train`."""


def _run(words: list[str], ours: int) -> int:
    """Run the command that the first words name. `ours`: how many stand before ``--``."""
    typed.set(tuple(words))
    _check_command(*words[:1])
    app = make_app(words[0] if words else None)
    if words[:1] == ["train"]:
        from partwise.cli.train import train_app

        command, rest = train_app(words[1:], new_app)
        app.command(command)
        words = ["train", *rest]
    if words[:1] in (["ask"], ["parse"]):
        words = _with_version(words, ours)
    code = app(words)
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


def main(tokens: Sequence[str] | None = None) -> int:
    """Run a command, of this process or of `tokens`. Returns the exit code: 0; 1 where a question
    has no answer or a check fails; 2 for an error that the user can mend; 130 for Ctrl+C."""
    # Importing and loading make many objects and no garbage, which would be looked for often.
    gc.set_threshold(50_000, 20, 50)
    given = sys.argv[1:] if tokens is None else tokens
    words = [STDIN if word == "-" else word for word in given]
    ours = words[: words.index("--")] if "--" in words else words
    _escape_foreign_signs()
    debug = DEBUG in ours
    if debug:
        words.remove(DEBUG)
    try:
        return _run(words, len(ours))
    except (CycloptsError, PartwiseError) as error:
        if debug:
            raise
        print(f"partwise: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if debug or error.name not in TRAINING:
            raise
        print(f"partwise: this needs {error.name}: pip install 'partwise[train]'", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read the output has enough; what is left of it would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _escape_foreign_signs() -> None:
    """A name that the terminal cannot write is no reason to stop."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _check_command(name: str = "--help") -> None:
    """Refuse an unknown command; the app would import every command to say so."""
    known = sorted({*COMMANDS, *PLUGINS, *PAPERS})
    if name not in {*known, *FLAGS}:
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known)}"
        raise PluginError(f"unknown command {name!r}; {hint}")


def _with_version(words: list[str], end: int) -> list[str]:
    """``--json`` with the newest version of the form where none follows it: the library has no
    options whose value may be left out."""
    return [
        f"{word}={JSON_VERSION}"
        if word == "--json" and at < end and words[at + 1 : at + 2] not in (["1"], ["2"])
        else word
        for at, word in enumerate(words)
    ]


def _missing(name: str) -> Callable[..., None]:
    def command(*tokens: AnyTokens) -> None:
        raise PluginError(
            f"{name} comes with the package partwise-papers: pip install partwise-papers"
        )

    return command
