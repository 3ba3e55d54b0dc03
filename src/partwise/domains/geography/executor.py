"""What the predicates of geography share at run time: kinds, relations and figures of values."""

from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

from partwise.domains.geography.facts import Relations, load_relations
from partwise.domains.geography.values import (
    EMPTY,
    Bag,
    Group,
    Measures,
    NamedThing,
    Value,
    count_groups,
    count_origins,
)
from partwise.errors import ExecutionError
from partwise.language.domain import Default

MAX_ITEMS = 1_000_000
"""A relation that leads to more values than this, duplicates counted, is an error."""
UNITS = {
    "population": "people",
    "area": "square miles",
    "density": "people per square mile",
    "elevation": "m",
    "length": "km",
}
SIZES = {"stateid": "area", "cityid": "population", "riverid": "length", "placeid": "elevation"}
"""What the size of a thing is, by its sort."""


class Executor:
    """From values to a value; what a predicate does not apply to gives an empty bag. Values are
    typed `Any`, as the hints of the predicates say what they stand for in the language."""

    published: ClassVar[bool] = False
    """Whether answers are those of GeoQuery's evaluator: its `most` and `fewest`, whose answer to
    "which state has the most rivers" is a river, and the holes in its tables (see
    `partwise.domains.geography.facts.load_relations`)."""

    @cached_property
    def _relations(self) -> Relations:
        return load_relations(self.published)

    def _bag_of(self, sort: str, name: str) -> Any:
        return Bag((NamedThing(sort, name),), named=True)

    def _city(self, name: str, state: Any) -> Any:
        """The city of this name in a state, or in any if that is left out."""
        if isinstance(state, Default):
            return self._bag_of("cityid", name)
        place = state.items[0] if state.items else None
        code = self._relations.state_codes.get(place.name) if place is not None else None
        return EMPTY if code is None else Bag((NamedThing("cityid", name, code),), named=True)

    def _kind(self, name: str, x: Any) -> Any:
        """All of a kind if `x` is left out, else those of the kind among the values."""
        kind = self._relations.kinds[name]
        if isinstance(x, Default):
            return Bag(kind.members)
        accepted = kind.accepted

        def keep(items: tuple[Value, ...]) -> tuple[Value, ...]:
            return tuple([accepted[item] for item in items if item in accepted])

        if isinstance(x, Measures) or x.groups is None:
            named = isinstance(x, Bag) and x.named
            return Bag(keep(x.items), named=named)
        return Bag(keep(x.items), tuple([(origin, keep(values)) for origin, values in x.groups]))

    def _relate(self, name: str, x: Any) -> Any:
        """What each value in turn leads to. Raises ExecutionError for more than `MAX_ITEMS`."""
        relation = self._relations.related[name]
        groups: tuple[Group, ...] = tuple([(item, relation.get(item, ())) for item in x.items])
        # Duplicates are kept, so each relation inside a relation multiplies their number.
        if sum(len(values) for _, values in groups) > MAX_ITEMS:
            raise ExecutionError(f"{name} leads to more than {MAX_ITEMS} values")
        return Bag(tuple(chain.from_iterable(values for _, values in groups)), groups)

    def _leads_to(self, name: str, x: Any) -> Any:
        """As `_relate`, for relations that are not counted by what they start from."""
        return Bag(self._relate(name, x).items)

    def _measures(self, name: str, x: Any) -> Any:
        """The number of each value that has one."""
        figures = self._relations.figures[name]
        pairs: list[tuple[float, Value]] = []
        units: set[str] = set()
        for item in x.items:
            if item in figures:
                pairs.append(figures[item])
                units.add(UNITS[SIZES[item.sort] if name == "size" else name])
            elif name == "size" and not isinstance(item, NamedThing):
                pairs.append((item, item))
                units.add(x.unit)
        return Measures(tuple(pairs), units.pop() if len(units) == 1 else "")

    def _at_elevation(self, x: Any) -> Any:
        """The places at measured elevations; none for a number written out. In the reference
        semantics a written number is not a value, so nothing is there."""
        if not isinstance(x, Bag | Measures):
            return EMPTY
        places = (self._relations.at_elevation.get(item, ()) for item in x.items)
        return Bag(tuple(chain.from_iterable(places)))

    def _count(self, x: Any) -> Measures:
        return count_groups(x) if self.published else count_origins(x)
