"""`python -m openchatml filter …` is `openchatml filter …`, wherever the command is."""

from __future__ import annotations

import os
import sys

from .command import CommandError, find_command


def main() -> int:
    try:
        command = find_command()
        os.execvp(command[0], [*command, *sys.argv[1:]])
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
    except OSError as error:
        print(f"error: {command[0]} cannot be run: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
