"""The library's books and loans. Put your own data, or calls of your program, in their place."""

from __future__ import annotations

AUTHOR = {
    "Emma": "Jane Austen",
    "Persuasion": "Jane Austen",
    "Dracula": "Bram Stoker",
    "Middlemarch": "George Eliot",
    "Silas Marner": "George Eliot",
    "Cranford": "Elizabeth Gaskell",
    "North and South": "Elizabeth Gaskell",
}
YEAR = {
    "Emma": 1815,
    "Persuasion": 1817,
    "Dracula": 1897,
    "Middlemarch": 1871,
    "Silas Marner": 1861,
    "Cranford": 1853,
    "North and South": 1854,
}
TOWN = {"Ada": "Leeds", "Ben": "York", "Carla": "Leeds", "Dmitri": "Bath", "Esther": "York"}
LOANS = [
    ("Ada", "Emma"),
    ("Ada", "Dracula"),
    ("Ben", "Middlemarch"),
    ("Ben", "Emma"),
    ("Carla", "Persuasion"),
    ("Carla", "Cranford"),
    ("Carla", "Middlemarch"),
    ("Dmitri", "Dracula"),
    ("Dmitri", "North and South"),
    ("Esther", "Emma"),
    ("Esther", "Silas Marner"),
]
