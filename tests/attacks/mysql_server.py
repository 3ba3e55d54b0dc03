"""A MariaDB server of its own for tests, on a socket in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
