"""Write golden.json from the code that is installed: python make_golden.py [FILE]."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import torch
from test_golden import CASES, GOLDEN


def main() -> None:
    """Compute all cases; a line for each goes to standard error."""
    torch.set_num_threads(1)
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN
    results = {}
    for name, case in CASES.items():
        begin = time.perf_counter()
        results[name] = case()
        size = len(json.dumps(results[name], separators=(",", ":")))
        print(f"{time.perf_counter() - begin:6.1f} s {size:8d} {name}", file=sys.stderr)
    lines = (
        f"{json.dumps(name)}:{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for name, value in results.items()
    )
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
