"""Plug-ins: parsers, encoders, data sets and domains, found through Python entry points.

What the project itself brings is registered in its ``pyproject.toml``, in the same way as any
other package would do it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from partwise.errors import PluginError

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """The plug-ins of one group by name; each is imported when it is first asked for.

    Args:
        group: of entry points, as ``partwise.parsers``.
        what: what messages call one of them.
    """

    def __init__(self, group: str, what: str) -> None:
        self.group, self.what = group, what
        self._loaded: dict[str, T] = {}

    @cached_property
    def _known(self) -> dict[str, EntryPoint]:
        return {one.name: one for one in sorted(entry_points(group=self.group))}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            self._loaded[name] = self._load(self._known[name])
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def find(self, name: str) -> T:
        """The plug-in of this name.

        Raises:
            PluginError: if there is none, or if it cannot be imported; lists the known ones.
        """
        if name not in self:
            raise PluginError(f"no {self.what} {name!r}; there are {', '.join(self)}")
        return self[name]

    def _load(self, one: EntryPoint) -> T:
        try:
            loaded: Any = one.load()
        except Exception as error:
            package = one.dist.name if one.dist is not None else one.module
            raise PluginError(
                f"the {self.what} {one.name} of the package {package} cannot be imported "
                f"({type(error).__name__}: {error}); update or uninstall that package"
            ) from error
        found: T = loaded
        return found
