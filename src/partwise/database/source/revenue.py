"""Which figures the rows of a table add up to: what was sold, paid or spent, and what things are
worth.

A line of an order is worth its quantity times its price; the price may be that of the row it links
to. What customers bring in and what is spent on suppliers and staff have names of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from partwise.database.layer.model import Measure
from partwise.database.source.lexicon import measure_names, names_of, word_set
from partwise.database.source.names import singular, words_of_name
from partwise.database.source.roles import TableKeys, default_date, is_person, without_unit
from partwise.database.source.tables import ReadTable
from partwise.database.units import MONEY, UNITS, WORDS
from partwise.execution.relational.program import Arithmetic, Attribute, Field, Value
from partwise.execution.relational.schema import Link

_TIMES = {"hour", "night", "day", "week", "month"}
"""What is paid by the time; its rates are hourly, nightly, daily and so on."""
PRICES = names_of("prices")
_AMOUNTS = {"price", "cost", "rate", "fee", "charge", "fare", "value"}
HELD = {"stock", "hand"}
"""Words for what is kept in stock."""


def quantities(
    table: ReadTable, places: TableKeys, stock: bool = False
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Columns that say how many a row is of, those of what is kept in stock last."""
    none, counts = word_set("no quantities"), word_set("quantities")
    numbers = numbers_of(table, places)
    known = {words: name for words, name in numbers.items() if not none & set(words)}
    held = [words for words in known if not HELD.isdisjoint(words)]
    for words, name in known.items():
        # What something weighs is no quantity, unless it has a price for each.
        counted = words[-1] in counts or words[0] == "quantity"
        if counted and words not in held and "weight" not in words:
            yield words, name
    for words, name in known.items():
        # "Kegs", with a price per keg.
        if words not in held and _has_price(numbers, singular(words)[-1]):
            yield words, name
    for words in held if stock else ():
        if words[-1] in HELD | counts or _has_price(numbers, words[-1]):
            yield words, known[words]


def _has_price(numbers: Iterable[tuple[str, ...]], word: str) -> bool:
    """Whether there is a price for each of what a word says."""
    return any(_per(one, word) for one in numbers)


def priced(
    counts: list[tuple[tuple[str, ...], str]],
    numbers: Mapping[tuple[str, ...], str],
    path: tuple[Link, ...],
) -> tuple[str, Field] | None:
    """The first quantity with a price that fits it: a price for each of what it counts first."""
    for words, name in counts:
        unit = singular(words)[-1]
        for said, price in numbers.items():
            held = not HELD.isdisjoint(words)
            if _is_price_of(said, unit) or (held and _per(said, unit)):
                return name, Field(path, price)
    for words, name in counts:
        if not is_timed(words):
            plain = [numbers[one] for one in PRICES if one in numbers and one != ("rate",)]
        else:
            plain = [numbers[one] for one in (("rate",),) if one in numbers]
        if plain and plain[0] != name:
            return name, Field(path, plain[0])
    return None


def _is_price_of(said: tuple[str, ...], unit: str) -> bool:
    """Whether a column is the price of one: "price per tonne", "hourly rate", "ticket price"."""
    if not {"price", "rate", "fee", "charge", "fare"} & set(said) or set(said) & word_set(
        "no prices"
    ):
        return False
    if unit in _TIMES:
        return not {unit, f"{unit}ly".replace("ayly", "aily")}.isdisjoint(said)
    last = singular(said)[-1]
    return ("per" in said and last == unit) or (said[-1] == "price" and said[:-1] == (unit,))


def _per(said: tuple[str, ...], unit: str) -> bool:
    """Whether a column is an amount of money for one of a unit: "price per keg", "cost per kg"."""
    return len(said) > 2 and said[-2:] == ("per", unit) and bool(_AMOUNTS & set(said))


def discounted(table: ReadTable, places: TableKeys, of: Attribute) -> Attribute:
    """A price less the discount of the row, if it has one."""
    numbers = numbers_of(table, places)
    discount = next((numbers[one] for one in names_of("discounts") if one in numbers), None)
    values = [] if discount is None else [float(one) for one in table.values(discount)]
    if discount is None or not values or min(values) < 0 or max(values) > 100:
        return of
    share: Attribute = Field((), discount)
    if max(values) > 1:
        share = Arithmetic("/", share, Value(100))
    return Arithmetic("*", of, Arithmetic("-", Value(1), share))


def numbers_of(table: ReadTable, places: TableKeys | None) -> dict[tuple[str, ...], str]:
    """Words of a column -> its name, of those with numbers that are no ids."""
    return {
        words: name
        for name, words in table.column_words.items()
        if table.meant[name].kind == "number" and not (places is not None and places.is_id(name))
    }


def is_timed(words: tuple[str, ...]) -> bool:
    """Whether a quantity is of time."""
    return singular(words)[-1] in _TIMES


MASSES = {"tonnes", "tons", "kilos", "kg", "litres", "liters"}
_NO_SALE = {"ingredient", "recipe", "component", "material"}
"""Words of tables whose rows say what is used, not what is sold."""


@dataclass(frozen=True)
class Surroundings:
    """A table among those that its rows link to.

    Attributes:
        places: its key and links.
        units: column -> what its numbers count.
        others: all tables by name, with their key and links.
    """

    table: ReadTable
    places: TableKeys
    units: Mapping[str, str | None]
    others: Mapping[str, tuple[ReadTable, TableKeys]]

    def targets(self) -> Iterator[tuple[Link, ReadTable, TableKeys]]:
        """Where its links lead, other than to itself."""
        for column, names in self.places.links.items():
            for name in names:
                if name != self.table.name and name in self.others:
                    yield (Link(self.table.name, column, name), *self.others[name])


def measures(near: Surroundings) -> list[Measure]:
    """The figures of a table: those of its lines, else its total; profit, and how many it sold."""
    table, places = near.table, near.places
    if is_person(table):
        return []
    line = _line(near)
    if line is not None:
        happened = places.links or default_date(table, places)
        holds = _holds(table, table.column_words[line[0]])
        return list(_of_line(near, *line)) if happened or holds else []
    total = _total(near) if places.links else None
    if total is None:
        return [*_of_single(near), *_added(near)]
    name, label = total
    of = Field((), name)
    counts = near.units.get(name) or MONEY
    others = _synonyms(near, name)
    made = [_measure(table, label, of, counts, others)]
    made += _profits(near, of)
    quantity = next((one for one in quantities(table, places) if not is_timed(one[0])), None)
    made += [_sold(table, *quantity)] if quantity and not _spends(near) else []
    return [*made, *(one for one in _added(near) if one.of not in {other.of for other in made})]


def sorted_measures(some: list[Measure]) -> list[Measure]:
    """What comes in before all others, as it is meant where "how much" says nothing more."""

    def place(one: Measure) -> tuple[bool, bool]:
        return one.label not in {"profit"} and "revenue" not in one.names, one.label == "profit"

    return sorted(some, key=place)


def _of_line(near: Surroundings, quantity: str, of: Attribute) -> Iterator[Measure]:
    """What lines are worth, and how many were sold."""
    table = near.table
    words = table.column_words[quantity]
    if _holds(table, words):
        label = "stock value" if _stock(table, words) else f"{' '.join(table.words)} value"
        yield _measure(table, label, of, MONEY, measure_names("stock value"))
        return
    if _spends(near):
        yield _measure(
            table, f"{' '.join(table.words)} value", of, MONEY, measure_names("spending")
        )
        return
    yield _measure(table, "revenue", of, MONEY, measure_names("revenue"))
    if not is_timed(words):
        yield _sold(table, words, quantity)
        if (cost := _cost(near)) is not None:
            yield _profit(table, of, Arithmetic("*", Field((), quantity), cost))


def _of_single(near: Surroundings) -> Iterator[Measure]:
    """What lines without a quantity are worth: their price, where the thing that they link to has a
    usual one."""
    numbers = numbers_of(near.table, near.places)
    price = next((numbers[one] for one in PRICES if one[-1] == "price" and one in numbers), None)
    things = [
        table
        for _, table, there in near.targets()
        if _has_names(table) and any(words[-1] == "price" for words in numbers_of(table, there))
    ]
    if price is not None and len(near.places.links) > 1 and things:
        spent = _spends(near)
        label = f"{' '.join(near.table.words)} value" if spent else "revenue"
        others = measure_names("spending" if spent else "revenue")
        yield _measure(near.table, label, Field((), price), MONEY, others)


def _added(near: Surroundings) -> Iterator[Measure]:
    """What rows of events add up to besides money: hours, weights, what was taken."""
    table, places = near.table, near.places
    if _has_names(table) or not places.links or default_date(table, places) is None:
        return
    for words, name in numbers_of(table, places).items():
        what = (without_unit(words) or words)[-1]
        if {what, words[-1]} & word_set("added") and not word_set("no quantities") & {*words}:
            label = " ".join(words if len(words) > 1 else (*table.words, *words))
            others = (" ".join(words),)
            yield _measure(table, label, Field((), name), near.units.get(name) or "", others)


def _sold(table: ReadTable, words: tuple[str, ...], quantity: str) -> Measure:
    """How many were sold."""
    what = {word for some in table.column_words.values() for word in some}
    things = [one for one in ("ticket", "seat", "place") if one in what or f"{one}s" in what]
    if words[-1] not in {"quantity", "units", "pieces", "copies", "items", *MASSES}:
        things.append(words[-1].removesuffix("s"))
    more = [f"{thing}s {done}" for thing in things for done in ("sold", "booked")]
    label = f"{words[-1]} sold" if words[-1] in MASSES else "units sold"
    return _measure(table, label, Field((), quantity), "", (*measure_names("units sold"), *more))


def _profits(near: Surroundings, price: Field) -> Iterator[Measure]:
    """What is left of a price without what the thing has cost."""
    if _spends(near) or near.table.words[-1] not in word_set("sales"):
        return
    if near.table.column_words[price.column][-1] != "price":
        return
    if (cost := _cost(near)) is not None:
        yield _profit(near.table, price, cost)


def _profit(table: ReadTable, of: Attribute, spent: Attribute) -> Measure:
    left = Arithmetic("-", of, spent)
    return _measure(table, "profit", left, MONEY, measure_names("profit"))


def _cost(near: Surroundings) -> Field | None:
    """What the thing that was sold had cost: a column of the row, or of a row that it links to."""
    numbers = numbers_of(near.table, near.places)
    found = [Field((), numbers[one]) for one in names_of("costs") if one in numbers]
    for link, table, there in near.targets():
        numbers = numbers_of(table, there)
        found += [Field((link,), numbers[one]) for one in names_of("costs") if one in numbers]
    return found[0] if found else None


def _total(near: Surroundings) -> tuple[str, str] | None:
    """The column that says what a row of an event came to, and what it is called."""
    table, places = near.table, near.places
    dated = default_date(table, places) is not None
    sale = dated and table.words[-1] in word_set("sales") and not _has_names(table)
    for name, words in table.column_words.items():
        said = {"-".join(one) for one in (words, words_of_name(name), _without_currency(words))}
        number = table.meant[name].kind == "number" and not places.is_id(name)
        total = bool(said & word_set("totals")) and (words != ("total",) or dated)
        if number and (total or (sale and bool(said & word_set("totals of sales")))):
            return name, " ".join(words if len(words) > 1 else (*table.words, *words))
    return None


def _without_currency(words: tuple[str, ...]) -> tuple[str, ...]:
    """ "Amount" of "amount eur"."""
    money = any(UNITS[one].quantity == MONEY for one in WORDS.get(words[-1], ()))
    return words[:-1] if money and len(words) > 1 else words


def _synonyms(near: Surroundings, name: str) -> tuple[str, ...]:
    """What a total is called, by who pays it."""
    if set(near.table.words) & word_set("neither"):
        return ()
    cost = "cost" in near.table.column_words[name]
    spent = _spends(near) or (cost and not _of_customers(near))
    return measure_names("spending") if spent else measure_names("revenue", near.table.words[-1])


def _line(near: Surroundings) -> tuple[str, Attribute] | None:
    """Quantity, and quantity times price less the discount."""
    table, places = near.table, near.places
    counts = list(quantities(table, places, stock=True))
    if not counts:
        return None
    found = priced(counts, numbers_of(table, places), ())
    if found is None and not _NO_SALE & set(table.words):
        # The price of what is sold is looked for where that is kept.
        for link, target, there in near.targets():
            # That of a linked order is the price of all its lines.
            dated = there.links and not _has_names(target) and default_date(target, there)
            if not is_person(target) and not dated:
                found = priced(counts, numbers_of(target, there), (link,))
            if found is not None:
                break
    if found is None:
        return None
    quantity, price = found
    of: Attribute = Arithmetic("*", Field((), quantity), price)
    return quantity, discounted(table, places, of)


def _has_names(table: ReadTable) -> bool:
    """Whether rows are things with names, not what happened."""
    return any(
        words in {("name",), ("title",)}
        or (len(words) == 2 and words[1] == "name" and table.words[-1].startswith(words[0]))
        for words in table.column_words.values()
    )


def _stock(table: ReadTable, words: tuple[str, ...]) -> bool:
    return not HELD.isdisjoint(words) or bool({"stock", "inventory"} & set(table.words))


def _holds(table: ReadTable, words: tuple[str, ...]) -> bool:
    """Whether a quantity is what there is, not what was sold."""
    return _stock(table, words) or _has_names(table)


def _spends(near: Surroundings) -> bool:
    """Whether the rows are what the business pays: to suppliers, to staff, or back."""
    words = set(near.table.words)
    if words & word_set("spent on"):
        return True
    towards = {one.words[-1] for _, one, _ in near.targets()}
    customers = bool(towards & word_set("customers"))
    if words & {"purchase", "delivery", "refund", "return"}:
        return not customers
    return bool(towards & {"supplier", "vendor"}) and not customers


def _of_customers(near: Surroundings) -> bool:
    """Whether rows are of a customer, or of a thing that a customer owns."""
    ways = [(link.column, one, there) for link, one, there in near.targets()]
    further = [
        (column, near.others[name][0])
        for _, _, there in ways
        for column, names in there.links.items()
        for name in names
        if name in near.others
    ]
    return any(
        table.words[-1] in word_set("customers")
        and not {"seller", "supplier"} & {*words_of_name(column)}
        for column, table in [*((column, one) for column, one, _ in ways), *further]
    )


def _measure(
    table: ReadTable, label: str, of: Attribute, counts: str, others: tuple[str, ...]
) -> Measure:
    synonyms = tuple(one for one in others if one != label)
    name = label.replace(" ", "_")
    return Measure(name, label, table.name, "sum", of, synonyms=synonyms, unit=counts or None)
