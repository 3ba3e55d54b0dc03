"""Counts of right answers to the typed questions here: python measure.py [FOLDER NAME] [--show].

Of the lines of a file the odd ones are for development and the even ones are held out; `--show`
prints the wrong ones of the former alone. Without a folder the shipped parsers are measured.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from partwise import answer, load_parser

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "benchmarks"))

from typed import same  # noqa: E402


def main() -> None:
    given = [one for one in sys.argv[1:] if one != "--show"]
    for name in given[1:] or ("geography", "films"):
        parser = load_parser(given[0] if given else name)
        items = [json.loads(line) for line in (HERE / f"{name}.jsonl").open(encoding="utf-8")]
        replies = answer(parser, [item["question"] for item in items])
        counts = [0, 0]
        for number, (item, reply) in enumerate(zip(items, replies, strict=True)):
            right = same(reply.lines, item["answer"])
            counts[number % 2] += right
            if "--show" in sys.argv and not right and number % 2 == 0:
                print(item["question"], "|", reply.text, "|", reply.lines[:4], reply.reason or "")
        sizes = (len(items) + 1) // 2, len(items) // 2
        print(f"{name}: development {counts[0]} of {sizes[0]}, held out {counts[1]} of {sizes[1]}")


if __name__ == "__main__":
    main()
