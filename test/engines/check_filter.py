"""What `Filter` does when things go wrong: `check_filter.py FAULTY COMMAND…`; says nothing when all is well."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pyarrow as pa

from openchatml import VERDICT_TYPE, CommandError, Filter, find_command

FAULTY, *COMMAND = sys.argv[1:]
NODE = COMMAND[0]
CLEAN = '{"messages":[{"role":"user","content":"Hi"}]}'
BAD = '{"messages":[{"role":"nobody","content":"Hi"}]}'


def raises(work, words: str) -> None:
    try:
        work()
    except CommandError as error:
        assert words in str(error), str(error)
        return
    raise AssertionError(f"no error: {words}")


def oks(answer: pa.ChunkedArray) -> list[bool]:
    return [verdict["ok"] for verdict in answer.to_pylist()]


def faulty(**faults: str) -> list[str]:
    folder = mkdtemp()
    for name, text in faults.items():
        Path(folder, name).write_text(text)
    return [NODE, FAULTY, folder, *COMMAND[1:]]


def records(*texts: str) -> pa.Table:
    return pa.table({"record": list(texts), "n": list(range(len(texts)))})


# Rows with their verdicts, those that are kept, none, slices, chunks.
judge = Filter(command=COMMAND, record_column="record")
table = records(CLEAN, BAD, "what?", CLEAN)
judged = judge(table)
assert judged.column_names == ["record", "n", "verdict"] and judged.schema.field("verdict").type == VERDICT_TYPE
assert oks(judged["verdict"]) == [True, False, False, True]
first = judge._child
assert judge(table.slice(1, 1))["verdict"].to_pylist() == judged["verdict"].to_pylist()[1:2]
assert judge(table.slice(0, 0)).num_rows == 0 and judge(table.slice(0, 0)).schema == judged.schema
assert judge(pa.concat_tables([table, table.slice(2)])).num_rows == 6
for keep, numbers in (("ok", [0, 3]), ("bad", [1, 2])):
    kept = Filter(command=COMMAND, record_column="record", keep=keep)(table)
    assert kept.schema == table.schema and kept["n"].to_pylist() == numbers
raises(lambda: judge(pa.table({"other": ["x"]})), "has no column 'record'; its columns are other")
raises(lambda: Filter(command=COMMAND)(pa.table({"other": ["x"]})), "none of the columns that records have")

# Another schema is another stream of the same process.
assert oks(judge.verdicts(pa.table({"record": pa.array([CLEAN], pa.large_string())}))) == [True]
assert oks(judge.verdicts(pa.table({"record": pa.array([CLEAN, BAD]).dictionary_encode()}))) == [True, False]
assert oks(judge.verdicts(table)) == [True, False, False, True]
assert judge._child is first

# What is pickled starts a process of its own; a fork does too, and leaves the other one's alone.
assert oks(pickle.loads(pickle.dumps(judge)).verdicts(table)) == [True, False, False, True]
pid = os.fork()
if pid == 0:
    os._exit(0 if oks(judge.verdicts(table)) == [True, False, False, True] and judge._child is not first else 1)
assert os.waitpid(pid, 0)[1] == 0
assert oks(judge.verdicts(table)) == [True, False, False, True] and judge._child is first

# Killed, it is started again; so it is after it was closed.
os.kill(judge._child._process.pid, signal.SIGKILL)
assert oks(judge.verdicts(table)) == [True, False, False, True]
judge.close()
assert oks(judge.verdicts(table)) == [True, False, False, True]

# A poisoned row alone is told.
texts = [CLEAN] * 50 + [BAD.replace("Hi", "POISON")] + [CLEAN] * 30
poisoned = Filter(command=faulty(poison="POISON"), record_column="record").verdicts(records(*texts)).to_pylist()
assert [i for i, verdict in enumerate(poisoned) if not verdict["ok"]] == [50]
assert poisoned[50] == {"ok": False, "messages": 0, "calls": 0, "findings": 1, "err": [{
    "rule": "bad-record", "code": None, "severity": "error", "from": 0, "to": 0,
    "message": "the record ends the process that reads it: exit code 70",
}]}

# One that never answers is killed, and counts as dead.
sleeper = Filter(command=["sleep", "100"], record_column="record", timeout=0.2)
sleeper._arguments = lambda: ["sleep", "100"]
raises(lambda: sleeper.verdicts(records(CLEAN)), "ends without an answer to no rows at all: SIGKILL")

# Calls that no process could do.
texts = pa.table({"text": [""]})
raises(lambda: Filter(command=["/no/such/command"])(texts), "/no/such/command cannot be run: No such file")
raises(lambda: Filter(command=COMMAND, options=["--bad"])(texts), "unknown option '--bad'")
raises(lambda: Filter(command="false")(texts), "without an answer to no rows at all: exit code 1")
os.environ["PATH"], path = "", os.environ["PATH"]
os.chdir(mkdtemp())
raises(find_command, "openchatml is not on the path; install it")
os.environ["OPENCHATML_COMMAND"] = " ".join(f"'{word}'" for word in COMMAND)
assert find_command() == COMMAND and oks(Filter(record_column="record").verdicts(table)) == [True, False, False, True]
os.environ["PATH"] = path

# As a module it is the command.
module = [sys.executable, "-m", "openchatml", "filter"]
done = subprocess.run(module, input=f"{CLEAN}\n{BAD}\n", capture_output=True, text=True, check=True)
assert [line[:16] for line in done.stdout.splitlines()] == ['{"n":0,"ok":true', '{"n":1,"ok":fals'], done.stdout
assert subprocess.run([*module, "--bad"], capture_output=True).returncode == 2
