"""Write the Turtle file of the domain films anew from its tables."""

from __future__ import annotations

from pathlib import Path

from partwise.domains.films import knowledge, turtle

if __name__ == "__main__":
    file = Path(knowledge.__file__).with_name("films.ttl")
    file.write_text(turtle.to_turtle(knowledge.knowledge()), encoding="utf-8")
    print(file)
