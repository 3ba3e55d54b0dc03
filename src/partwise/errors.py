"""The errors that Partwise raises on bad input: what is wrong, where, and what to do."""

from traceback import walk_tb


class PartwiseError(Exception):
    """Base of every error that a user can cause and mend.

    Attributes:
        for_asker: whether the text is for who asks a question; that of other errors may hold paths
            and SQL, and is for who runs the program.
    """

    for_asker = False


def is_private(error: PartwiseError) -> bool:
    """Whether a text is for who runs the program: what a store says holds paths and queries."""
    if "for_asker" in vars(error):
        return not error.for_asker
    frames = [frame.f_globals["__name__"] for frame, _ in walk_tb(error.__traceback__)]
    return not error.for_asker or frames[-1].startswith("partwise.execution.")


class TextSyntaxError(PartwiseError):
    """A text that cannot be read; carries the position and draws a caret."""

    def __init__(self, message: str, text: str, position: int) -> None:
        self.message, self.text, self.position = message, text, position
        start = max(0, position - 60)
        line = text[start : position + 40].replace("\n", " ")
        super().__init__(
            f"{message} at column {position + 1}\n  {line}\n  {' ' * (position - start)}^"
        )


class ProgramSyntaxError(TextSyntaxError):
    """A program text that cannot be read."""


class DomainError(PartwiseError):
    """A domain declaration that does not hold together."""


class UnknownConstantError(PartwiseError):
    """A program uses a name that its domain does not have."""

    for_asker = True


class ProgramTypeError(PartwiseError):
    """A program that reads well but that the domain's types do not allow."""

    for_asker = True


class ExecutionError(PartwiseError):
    """A well-typed program that could not be run; says to who asks why."""

    for_asker = True


class TooCostlyError(PartwiseError):
    """A question whose answer takes more work than one question may."""

    for_asker = True


class DataError(PartwiseError):
    """A data file that cannot be used; says the file and the line."""


class ChoiceError(DataError):
    """What was chosen or confirmed of a question does not fit it."""

    for_asker = True


class CheckpointError(PartwiseError):
    """A model folder that is missing, damaged, or of another version."""


class ServeError(PartwiseError):
    """A server that cannot start."""


class QueryError(PartwiseError):
    """A query that no query graph can stand for."""

    for_asker = True


class QuerySyntaxError(TextSyntaxError, QueryError):
    """A query text that cannot be read, or that says what no query graph can."""


class PluginError(PartwiseError):
    """A plug-in is missing or cannot be imported."""
