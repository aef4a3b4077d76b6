"""Runs commands, one for each line of standard input, and tells what each took.

A question: {"argv": [...], "output": PATH or null, "input": PATH or null}. Standard output goes to the file, or
nowhere; standard input comes through a pipe that `cat` fills from the file, or is empty. The answer: {"ms", "cpu",
"memory", "status", "words"}: milliseconds, those of processor time, the most bytes that were resident, the exit status,
and the beginning of what came to standard error. Prints {"version": ...} first.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time


def run(argv, output, source):
    words = tempfile.TemporaryFile()
    feeder = None
    if source is not None:
        feeder = subprocess.Popen(["cat", "--", source], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    stdin = feeder.stdout.fileno() if feeder else os.open(os.devnull, os.O_RDONLY)
    stdout = os.open(output or os.devnull, os.O_WRONLY | os.O_CREAT, 0o600)
    streams = enumerate((stdin, stdout, words.fileno()))
    actions = [(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in streams]
    begin = time.perf_counter()
    child = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
    _, status, used = os.wait4(child, 0)
    spent = time.perf_counter() - begin
    os.close(stdout)
    if feeder:
        feeder.stdout.close()
        feeder.wait()
    else:
        os.close(stdin)
    words.seek(0)
    return {
        "ms": spent * 1000,
        "cpu": (used.ru_utime + used.ru_stime) * 1000,
        "memory": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "status": os.waitstatus_to_exitcode(status),
        "words": words.read(1000).decode(errors="replace"),
    }


def main():
    print(json.dumps({"version": platform.python_version()}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = run(question["argv"], question["output"], question["input"])
        except OSError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
