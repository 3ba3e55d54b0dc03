"""Networks with the weights of a checkpoint, without what transformers prints of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from partwise.errors import PartwiseError

REFUSED = {"trust_remote_code": False}
"""Code that comes with a model is never run, and nobody is asked whether it may."""


def filled(maker: Any, source: str, config: Any, new: Sequence[str] = ()) -> Any:
    """A network with the weights of a folder or hub name.

    Args:
        maker: the class of transformers that makes it.
        new: parts of the names of weights that the checkpoint need not have.

    Raises:
        PartwiseError: if it lacks other weights, which would stay random.
    """
    with _quiet(), _without_bars() if os.path.isdir(source) else nullcontext():
        network, told = maker.from_pretrained(
            source, config=config, use_safetensors=True, output_loading_info=True, **REFUSED
        )
    lacking = sorted(name for name in told["missing_keys"] if not any(part in name for part in new))
    if lacking:
        raise PartwiseError(
            f"its checkpoint lacks {len(lacking)} of the weights of the network, such as "
            f"{lacking[0]}"
        )
    return network


@contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' warnings of what a checkpoint lacks, which is checked here."""
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Without transformers' bars, which only a download needs."""
    from transformers.utils import logging as untyped

    logging: Any = untyped
    shown = logging.is_progress_bar_enabled()
    if shown:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
