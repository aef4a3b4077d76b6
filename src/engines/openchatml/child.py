"""One process of the command: batches of rows go in, batches of verdicts come out."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence

import pyarrow as pa

from .command import CommandError
from .verdict import VERDICT_TYPE

#: Exit codes that say that the call is wrong, not the data: usage and files; the shell's for no such command.
_REFUSALS = (2, 126, 127)
#: Bytes of what the process says that are shown.
_SAID = 2000
#: Bytes that a pipe holds, where the system can be asked for more than it gives by itself.
_PIPE_BYTES = 1 << 20


class Died(Exception):
    """The process ended before it had answered."""


class Child:
    """Lives until it is ended, or dies. Not to be shared between threads."""

    def __init__(self, command: Sequence[str], timeout: float | None) -> None:
        self._timeout = timeout
        self._said = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, pipesize=_PIPE_BYTES
            )
        except OSError as error:
            raise CommandError(f"{command[0]} cannot be run: {error.strerror}") from error
        self._writer: pa.ipc.RecordBatchStreamWriter | None = None
        self._reader: pa.ipc.RecordBatchStreamReader | None = None
        self._schema: pa.Schema | None = None
        # Whoever forgets it, and an interpreter that ends, ends the process.
        self._finalizer = weakref.finalize(self, _end, self._process, self._said)

    def ask(self, batch: pa.RecordBatch) -> pa.StructArray:
        """The verdicts on the rows. Raises Died, or CommandError for what no other process could do either."""
        watch = threading.Timer(self._timeout, self._process.kill) if self._timeout is not None else None
        if watch is not None:
            watch.daemon = True
            watch.start()
        try:
            return self._exchange(batch)
        except (OSError, pa.ArrowException, StopIteration, ValueError) as error:
            raise self._death() from error
        finally:
            if watch is not None:
                watch.cancel()

    def _exchange(self, batch: pa.RecordBatch) -> pa.StructArray:
        assert self._process.stdin is not None and self._process.stdout is not None
        if self._writer is None or batch.schema != self._schema:
            self._next_stream(batch.schema)
        assert self._writer is not None
        self._writer.write_batch(batch)
        self._process.stdin.flush()
        if self._reader is None:
            self._reader = pa.ipc.open_stream(self._process.stdout)
        answer = self._reader.read_next_batch().column(0)
        if len(answer) != batch.num_rows:
            raise ValueError(f"{batch.num_rows} rows have {len(answer)} verdicts")
        return answer.cast(VERDICT_TYPE)

    def _next_stream(self, schema: pa.Schema) -> None:
        """A stream has one schema; the process reads one stream after the other."""
        assert self._process.stdin is not None
        if self._writer is not None:
            self._writer.close()
            self._process.stdin.flush()
            if self._reader is not None:
                for _ in self._reader:
                    raise ValueError("a batch that nobody has asked for")
        self._reader = None
        self._schema = schema
        self._writer = pa.ipc.new_stream(self._process.stdin, schema)

    def _death(self) -> Exception:
        """Why it did not answer. It has ended, or is made to."""
        with contextlib.suppress(OSError):
            assert self._process.stdout is not None
            self._process.stdout.close()
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._said.seek(0, 2)
        self._said.seek(max(0, self._said.tell() - _SAID))
        said = self._said.read().decode("utf8", "replace").strip()
        self._finalizer()
        if code in _REFUSALS:
            return CommandError(said or f"exit code {code}")
        return Died(_name(code))

    def end(self) -> None:
        self._finalizer()


def _name(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _end(process: subprocess.Popen[bytes], said: object) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    said.close()  # type: ignore[attr-defined]
