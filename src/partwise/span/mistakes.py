"""The constants of programs and who takes them, to compare a wrong program with the gold one."""

from __future__ import annotations

from partwise.errors import PartwiseError
from partwise.language.constants import Application
from partwise.language.domain import Domain
from partwise.language.program import Term

Parts = list[tuple[str, int]]
"""The constants of a program in reading order, each with the place in the list of the constant
that takes it as an argument, -1 for none."""


def parts(domain: Domain, program: Term) -> Parts | None:
    """The constants of a program and who takes them; None if the domain cannot read it.

    What no word names (`Constant.type_shift`) is left out: its arguments belong to whoever takes
    it.
    """
    listed: Parts = []

    def collect(application: Application, parent: int) -> None:
        if not application.constant.type_shift:
            listed.append((application.constant.category, parent))
            parent = len(listed) - 1
        for arg in application.args:
            if arg is not None:
                collect(arg, parent)

    try:
        collect(domain.interpret(program), -1)
    except PartwiseError:
        return None
    return listed
