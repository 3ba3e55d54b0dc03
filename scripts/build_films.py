"""Write again what the films ship: the core's graph as Turtle, and the MCD split's places here."""

from __future__ import annotations

from pathlib import Path

from partwise.domains import films
from partwise_papers.datasets.films import MCD_FILE, find_mcd_split
from partwise_papers.films import knowledge, turtle

if __name__ == "__main__":
    graph = Path(films.__file__).parent / "films.ttl"
    graph.write_text(turtle.to_turtle(knowledge.knowledge()), encoding="utf-8")
    places = Path(knowledge.__file__).parent / "questions" / MCD_FILE
    split = find_mcd_split()
    split.write(places)
    print(f"{graph}; {places}: MCD split with {split.divergences}")
