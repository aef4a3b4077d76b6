"""Verdicts on chat transcripts where corpora are processed.

The work is done by the command `openchatml` (npm), which runs beside each worker and stays. `Filter` talks to it in
Arrow; `openchatml.ray`, `openchatml.spark`, `openchatml.datasets` and `openchatml.datatrove` bring it to an engine.
"""

from .command import CommandError, find_command
from .filter import Filter
from .verdict import VERDICT_TYPE

__all__ = ["CommandError", "Filter", "VERDICT_TYPE", "find_command"]
