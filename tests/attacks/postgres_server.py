"""A PostgreSQL server of its own for tests, on a socket in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path


def program(name: str) -> str | None:
    """The path of one of the server's programs; Debian keeps them out of the search path."""
    return shutil.which(name) or max(glob(f"/usr/lib/postgresql/*/bin/{name}"), default=None)


@contextmanager
def server() -> Iterator[tuple[str, Path]]:
    """The connection text of a new server's superuser, and a folder that the server may write."""
    # A short path: the names of sockets have a limit. The server does not run as root.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    own = {}
    if os.getuid() == 0:
        user = pwd.getpwnam("nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)
        own = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def run(name: str, *words: str) -> None:
        path = program(name)
        assert path is not None
        subprocess.run(
            [path, "-D", str(folder / "data"), *words],
            check=True, cwd=folder, timeout=120, stdout=subprocess.DEVNULL, **own,  # type: ignore[call-overload]
        )  # fmt: skip

    settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
    try:
        run("initdb", "-U", "owner", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield f"postgresql://owner@/postgres?host={folder}", folder
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
