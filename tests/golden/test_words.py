"""What users read stands in one file, so that who changes a sentence reads it beside the others."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_file_has_all_sentences() -> None:
    found = subprocess.run(
        [sys.executable, ROOT / "scripts" / "words.py", "--check"], capture_output=True, text=True
    )
    told = f"python scripts/words.py writes it anew\n{found.stdout}\n{found.stderr[-2000:]}"
    assert found.returncode == 0, told
