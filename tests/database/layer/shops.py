"""A small layer that says something of everything."""

from __future__ import annotations

from partwise.database.layer.formulas import read_formula
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table

PLACED = Link("Order Line", "OrderId", "Orders")
PACKED = Link("Orders", "PackerId", "Staff")
HEAD = Link("Staff", "ManagerId", "Staff")
COLUMNS: dict[str, dict[str, Kind]] = {
    "Staff": {"StaffId": "id", "FirstName": "text", "LastName": "text", "ManagerId": "id"},
    "Orders": {"OrderId": "id", "SellerId": "id", "PackerId": "id", "Placed": "date"}
    | {"Status": "text", "Paid": "boolean", "Notes": "text"},
    "Order Line": {
        "OrderId": "id",
        "Quantity": "number",
        "Unit Price": "number",
        "Rebate": "number",
    },
}
SCHEMA = Schema(
    tuple(
        Table(name, tuple(Column(*one, one[0] == "Paid") for one in columns.items()), key)
        for (name, columns), key in zip(COLUMNS.items(), ["StaffId", "OrderId", None], strict=True)
    ),
    (PACKED, HEAD, Link("Orders", "SellerId", "Staff"), PLACED),
)


def plain(table: str, name: str) -> ColumnInfo:
    """A column of which nothing is said."""
    return ColumnInfo(name, LABELS.get(name, name.lower()), COLUMNS[table][name])


LABELS = {
    **{"StaffId": "staff id", "FirstName": "first name", "LastName": "last name"},
    **{"ManagerId": "manager id", "OrderId": "order id", "SellerId": "seller id"},
    **{"PackerId": "packer id"},
}


def shop() -> SemanticLayer:
    """The layer."""
    status = ColumnInfo(
        "Status", "state", "text", ("condition",), "Where it is.", values=("F", "no", "1"),
        enumeration=True, value_names={"F": ("finished", "done"), "1": ("new",)},
    )  # fmt: skip
    quantity = ColumnInfo("Quantity", "quantity", "number", unit="piece", values=("1", "2.5"))
    notes = ColumnInfo("Notes", "notes", "text", private=True)
    said = {"Status": status, "Quantity": quantity, "Notes": notes}
    columns = {
        table: tuple(said.get(name) or plain(table, name) for name in names)
        for table, names in COLUMNS.items()
    }
    tables = (
        TableInfo("Staff", "colleague", columns["Staff"], ("clerk",), "Who works here.",
                  display=("FirstName", "LastName"), person=True),
        TableInfo("Orders", "order", columns["Orders"], date="Placed", measure="revenue"),
        TableInfo("Order Line", "order line", columns["Order Line"], bridge=True),
    )  # fmt: skip
    formula = "sum of Quantity * \"Unit Price\" * (1 - Rebate) where Orders.Status in ('F', 'no')"
    revenue = Measure(
        "revenue", "revenue", "Order Line", **read_formula(formula, SCHEMA, "Order Line")._asdict(),
        synonyms=("sales", "turnover"), description="Without tax.", unit="usd",
    )  # fmt: skip
    sellers = read_formula("count of distinct SellerId", SCHEMA, "Orders")
    return SemanticLayer(
        name="shop",
        schema=SCHEMA,
        tables=tables,
        measures=(Measure("sellers", "sellers", "Orders", **sellers._asdict()), revenue),
        links={HEAD: ("reports to",), PLACED: ("belongs to", "is part of")},
        notes=("Orders.Placed holds dates: each of its values is one", "SellerId was looked at"),
        preferred=(PACKED,),
    )
