"""``python -m partwise``."""

from partwise.cli import app

if __name__ == "__main__":
    app(prog_name="partwise")
