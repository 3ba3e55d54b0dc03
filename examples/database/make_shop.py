"""Make a small tea shop's database: python make_shop.py [FILE] (shop.db). All of it is invented."""

from __future__ import annotations

import random
import sqlite3
import sys
from datetime import date, timedelta

TABLES = """
CREATE TABLE customer (
  customer_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
  country TEXT NOT NULL, email TEXT, joined DATE NOT NULL);
CREATE TABLE product (
  product_id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL,
  unit_price REAL NOT NULL, weight_g INTEGER);
CREATE TABLE sale (
  sale_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer,
  sale_date DATE NOT NULL, channel TEXT NOT NULL);
CREATE TABLE sale_line (
  sale_line_id INTEGER PRIMARY KEY, sale_id INTEGER NOT NULL REFERENCES sale,
  product_id INTEGER NOT NULL REFERENCES product, quantity INTEGER NOT NULL,
  unit_price REAL NOT NULL);
"""
FIRST = ("Ada", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas")
LAST = ("Abel", "Brandt", "Costa", "Duarte", "Eriksen", "Ferrari", "Gruber", "Holm", "Ito")
COUNTRIES = ("Austria", "Brazil", "Denmark", "Italy", "Japan", "Portugal")
PRODUCTS = (
    ("Morning Mist", "green tea", 6.5, 100),
    ("Jade Terrace", "green tea", 9.0, 100),
    ("Night Train", "black tea", 5.5, 125),
    ("Smoky Pine", "black tea", 7.25, 125),
    ("Garden Mint", "herbal tea", 4.0, 80),
    ("Lemon Meadow", "herbal tea", 4.5, 80),
    ("Clay Pot", "teapot", 32.0, 900),
    ("Glass Pot", "teapot", 24.0, 600),
    ("Bamboo Whisk", "accessory", 11.0, 40),
    ("Paper Filters", "accessory", 3.0, None),
)
CHANNELS = ("shop", "web", "phone")
SALES = 400


def make(file: str) -> None:
    """Write the database; the same one each time."""
    draw = random.Random(7)
    with sqlite3.connect(file) as base:
        base.executescript(TABLES)
        names = sorted({(draw.choice(FIRST), draw.choice(LAST)) for _ in range(60)})
        for number, (first, last) in enumerate(names, 1):
            email = f"{first}.{last}@example.org".lower()
            joined = str(date(2022, 1, 1) + timedelta(draw.randrange(700)))
            row = (number, first, last, draw.choice(COUNTRIES), email, joined)
            base.execute("INSERT INTO customer VALUES (?, ?, ?, ?, ?, ?)", row)
        base.executemany(
            "INSERT INTO product VALUES (?, ?, ?, ?, ?)",
            [(number, *one) for number, one in enumerate(PRODUCTS, 1)],
        )
        for sale in range(1, SALES + 1):
            day = date(2023, 1, 1) + timedelta(draw.randrange(730))
            buyer, channel = draw.randint(1, len(names)), draw.choice(CHANNELS)
            base.execute("INSERT INTO sale VALUES (?, ?, ?, ?)", (sale, buyer, str(day), channel))
            for product in draw.sample(range(len(PRODUCTS)), draw.randint(1, 3)):
                line = (sale, product + 1, draw.randint(1, 4), PRODUCTS[product][2])
                base.execute("INSERT INTO sale_line VALUES (NULL, ?, ?, ?, ?)", line)
    print(f"{file}: {len(names)} customers, {len(PRODUCTS)} products, {SALES} sales")


if __name__ == "__main__":
    make(sys.argv[1] if len(sys.argv) > 1 else "shop.db")
