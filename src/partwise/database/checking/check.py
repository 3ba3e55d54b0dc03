"""All checks of a layer's file, in their order."""

from __future__ import annotations

from partwise.database.checking.data import DataChecks
from partwise.database.checking.words import WordChecks
from partwise.database.layer.files import LayerFile
from partwise.database.source.connections import Source
from partwise.interface.issues import Issue


def check_layer(file: LayerFile, source: Source) -> list[Issue]:
    """What is wrong or worth knowing, with the line of the file and what to do.

    Raises:
        DomainError: if the database cannot be opened or reached.
    """
    data, words = DataChecks(file, source), WordChecks(file)
    gone = list(data.gone())
    issues = [*gone, *words.hidden(), *words.shared(), *words.little(), *words.units()]
    issues += [*words.kinds(), *words.unlinked()]
    # Nothing runs over what is not there.
    return issues if gone else [*issues, *data.measures(), *data.displays(), *data.links()]
