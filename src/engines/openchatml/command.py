"""Where the command `openchatml` is."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

VARIABLE = "OPENCHATML_COMMAND"


class CommandError(RuntimeError):
    """The command is not there, or cannot do what it is asked for."""


def find_command(command: str | Sequence[str] | None = None) -> list[str]:
    """The command as arguments: the one that is given, that of `OPENCHATML_COMMAND`, `openchatml` on the path, or that
    of the nearest `node_modules` upwards."""
    given = command if command is not None else os.environ.get(VARIABLE) or None
    if given is not None:
        words = shlex.split(given) if isinstance(given, str) else list(given)
        if not words:
            raise CommandError("the command has no words")
        return words
    found = shutil.which("openchatml")
    if found is not None:
        return [found]
    here = Path.cwd()
    for folder in (here, *here.parents):
        installed = folder / "node_modules" / ".bin" / "openchatml"
        if installed.exists():
            return [str(installed)]
    raise CommandError(
        "openchatml is not on the path; install it on every machine (npm install --global openchatml), "
        f"or name the command: {VARIABLE}, or the argument `command`"
    )
