"""Write anew what the domain films ships: its graph as Turtle, and the MCD split's places."""

from __future__ import annotations

from pathlib import Path

from partwise_papers.datasets.films import MCD_FILE, find_mcd_split
from partwise_papers.films import knowledge, turtle

if __name__ == "__main__":
    folder = Path(knowledge.__file__).parent
    graph = folder / "films.ttl"
    graph.write_text(turtle.to_turtle(knowledge.knowledge()), encoding="utf-8")
    (folder / "questions").mkdir(exist_ok=True)
    split = find_mcd_split()
    split.write(folder / "questions" / MCD_FILE)
    print(f"{graph}; MCD split with {split.divergences}")
