"""Verdicts on the rows of tables, by a process that stays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa

from .child import Child, Died
from .command import CommandError, find_command
from .verdict import VERDICT_TYPE, poison_verdict

#: Which rows come out: all of them with their verdicts, or, as they were, those without errors or those with some.
Keep = Literal["all", "ok", "bad"]

#: Rows and bytes that are on their way at once: what a process holds in memory.
_MOST_ROWS = 4096
_MOST_BYTES = 16 * 1024 * 1024
#: Columns that records have (`openchatml filter` reads no others).
_COLUMNS = frozenset(
    "id text prompt completion messages conversations tools version dialect system instructions input output chosen "
    "rejected instruction history".split()
)


class Filter:
    """Gives each row its verdict: as many as there are rows, in their order, whatever the rows hold.

    The process `openchatml filter --format arrow` is started with the first rows and stays. Where it dies, it is
    started again; rows that kill it again are halved until the one is alone that does, which then has a verdict that
    says so.

    Args:
        record_column: The column whose cells are records, as JSON text or structs; without it the columns `messages`,
            `text`, `tools` and so on are the fields of records.
        options: Further options of `openchatml filter`, `["--strict"]` for example.
        command: What to run instead of the `openchatml` that is found.
        keep: Which rows a call gives.
        column: The name of the column of verdicts.
        timeout: Seconds for one batch; a process that takes longer is ended, and counts as dead.
    """

    def __init__(
        self,
        *,
        record_column: str | None = None,
        options: Sequence[str] = (),
        command: str | Sequence[str] | None = None,
        keep: Keep = "all",
        column: str = "verdict",
        timeout: float | None = 600.0,
    ) -> None:
        if keep not in ("all", "ok", "bad"):
            raise ValueError(f"keep is {keep!r}; expected 'all', 'ok' or 'bad'")
        self.record_column = record_column
        self.options = tuple(options)
        self.command = command if command is None or isinstance(command, str) else tuple(command)
        self.keep = keep
        self.column = column
        self.timeout = timeout
        self._child: Child | None = None
        self._process = 0

    def __getstate__(self) -> dict[str, Any]:
        """Processes stay where they are."""
        return {**self.__dict__, "_child": None, "_process": 0}

    def __call__(self, table: pa.Table) -> pa.Table:
        """The table with its verdicts as a column, or the rows that are kept."""
        verdicts = self.verdicts(table)
        if self.keep == "all":
            if self.column in table.column_names:
                raise ValueError(f"the table has a column {self.column!r}; name another one: column=")
            return table.append_column(self.column, verdicts)
        return table.filter(self.is_kept(verdicts))

    def is_kept(self, verdicts: pa.ChunkedArray) -> pa.ChunkedArray:
        """Of each verdict whether its row is kept."""
        if self.keep == "all":
            return pa.chunked_array([pa.repeat(True, len(verdicts))])
        wanted = self.keep == "ok"
        return pa.chunked_array([pa.compute.equal(chunk.field("ok"), wanted) for chunk in verdicts.chunks], pa.bool_())

    def verdicts(self, table: pa.Table) -> pa.ChunkedArray:
        """The verdict of each row. Raises CommandError when the command cannot do it."""
        answers: list[pa.Array] = []
        for batch in self._read(table).combine_chunks().to_batches():
            each = max(1, min(_MOST_ROWS, batch.num_rows * _MOST_BYTES // max(1, batch.nbytes)))
            for start in range(0, batch.num_rows, each):
                answers.extend(self._judge(batch.slice(start, each)))
        return pa.chunked_array(answers, VERDICT_TYPE)

    def close(self) -> None:
        """Ends the process. The next call starts another one."""
        if self._child is not None and self._process == os.getpid():
            self._child.end()
        self._child = None

    def _read(self, table: pa.Table) -> pa.Table:
        """The columns that are read."""
        if self.record_column is not None:
            names = [self.record_column]
        else:
            wanted = set(_COLUMNS)
            if "--field" in self.options:
                wanted.add(self.options[self.options.index("--field") + 1])
            names = [name for name in table.column_names if name in wanted]
        missing = [name for name in names if name not in table.column_names]
        if missing or not names:
            known = ", ".join(table.column_names) or "none"
            raise CommandError(
                f"the table has no column {missing[0]!r}; its columns are {known}"
                if missing
                else f"the table has none of the columns that records have; its columns are {known}; "
                "name the one whose cells are records: record_column="
            )
        return table.select(names)

    def _judge(self, batch: pa.RecordBatch, has_died: bool = False) -> list[pa.Array]:
        try:
            return [self._ask(batch)]
        except Died as death:
            if not has_died:
                # Whatever ended it may have had nothing to do with these rows.
                return self._judge(batch, True)
            rows = batch.num_rows
            if rows > 1:
                half = rows // 2
                return self._judge(batch.slice(0, half), True) + self._judge(batch.slice(half), True)
            return [self._last_try(batch, death)]

    def _last_try(self, batch: pa.RecordBatch, death: Died) -> pa.Array:
        """One row, by which a process died: alone, by a process that is known to work."""
        try:
            self._ask(batch.slice(0, 0))
        except Died as other:
            raise CommandError(f"the command ends without an answer to no rows at all: {other}") from death
        try:
            return self._ask(batch)
        except Died as again:
            return poison_verdict(str(again))

    def _ask(self, batch: pa.RecordBatch) -> pa.Array:
        if self._child is None or self._process != os.getpid():
            # The one that a fork has left behind belongs to the other process.
            self._child = Child(self._arguments(), self.timeout)
            self._process = os.getpid()
        try:
            return self._child.ask(batch)
        except BaseException:
            self._child = None
            raise

    def _arguments(self) -> list[str]:
        column = [] if self.record_column is None else ["--record-column", self.record_column]
        return [*find_command(self.command), "filter", "--format", "arrow", *column, *self.options]
