"""Counts messages by role, and calls, of chat records in JSON lines by orjson, once for each line of standard input.

A line is a query's name (`roles`), a blank, a path. Prints {"version": ...}, then {"numbers": [...]} for each.
"""

import json
import sys

import orjson


def count(path):
    records = 0
    roles = {}
    calls = 0
    with open(path, "rb") as lines:
        for line in lines:
            records += 1
            for message in orjson.loads(line)["messages"]:
                role = message["role"]
                roles[role] = roles.get(role, 0) + 1
                if "tool_calls" in message:
                    calls += len(message["tool_calls"])
    return [records, *(roles.get(role, 0) for role in ("user", "assistant", "tool")), calls]


def main():
    print(json.dumps({"version": orjson.__version__}), flush=True)
    for line in sys.stdin:
        print(json.dumps({"numbers": count(line.rstrip("\n").split(" ", 1)[1])}), flush=True)


main()
