"""Servers of databases for the tests."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path

import pymysql

INSTALLED = shutil.which("mariadbd") is not None and shutil.which("mariadb-install-db") is not None


@contextmanager
def mysql_server() -> Iterator[Path]:
    """The socket of a new server, whose user ``root`` has no password."""
    folder = Path(tempfile.mkdtemp(prefix="my", dir="/tmp"))
    # The server does not run as root.
    user = pwd.getpwuid(os.getuid()) if os.getuid() else pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    data, socket = f"--datadir={folder}/data", folder / "socket"
    own = ["--no-defaults", f"--user={user.pw_name}", data]
    try:
        subprocess.run(
            ["mariadb-install-db", *own, "--auth-root-authentication-method=normal"],
            check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        settings = [f"--socket={socket}", "--skip-networking", f"--pid-file={folder}/pid"]
        with subprocess.Popen(
            ["mariadbd", *own, *settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as made:
            try:
                _wait(socket)
                yield socket
            finally:
                made.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(socket: Path) -> None:
    for _ in range(600):
        try:
            pymysql.connect(unix_socket=str(socket), user="root").close()
            return
        except pymysql.err.OperationalError:
            time.sleep(0.1)
    raise TimeoutError("the server does not start")


def program(name: str) -> str | None:
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
