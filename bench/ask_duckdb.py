"""Runs queries of DuckDB over files of JSON lines, one for each line of standard input.

A line is a query's name, a blank, a path. Argument: how many threads. Prints {"version": ...}, then {"numbers": [...]}
or {"error": ...} for each question.
"""

import json
import sys

import duckdb

# Records, messages by role, calls.
ROLES = ("user", "assistant", "tool")
OF_LISTS = ", ".join(f"sum(len(list_filter(roles, lambda role: role = '{name}')))" for name in ROLES)
OF_ROWS = ", ".join(f"sum(len(list_filter(messages, lambda message: message.role = '{name}')))" for name in ROLES)

QUERIES = {
    # Every line as a value, none of which is looked into.
    "count": "SELECT count(*) FROM read_ndjson_objects(?)",
    # A JSON function on each line; bytes, which are there already, not characters, which would have to be counted.
    "text": "SELECT count(*), sum(strlen(json ->> '$.text')) FROM read_ndjson_objects(?)",
    # The same by a column of its reader.
    "column": "SELECT count(*), sum(strlen(text)) FROM read_ndjson(?, columns = {'text': 'VARCHAR'})",
    # Chat records: JSON functions on each line.
    "roles": f"""
        SELECT count(*), {OF_LISTS}, sum(len(calls)) FROM (
            SELECT json ->> '$.messages[*].role' AS roles, json ->> '$.messages[*].tool_calls[*].id' AS calls
            FROM read_ndjson_objects(?))""",
    # The same by a column of its reader.
    "roles-column": f"""
        SELECT count(*), {OF_ROWS},
            sum(list_sum(list_transform(messages, lambda message: coalesce(len(message.tool_calls), 0))))
        FROM read_json(?, format = 'newline_delimited',
            columns = {{'messages': 'STRUCT("role" VARCHAR, tool_calls JSON[])[]'}})""",
}


def say(answer):
    print(json.dumps(answer), flush=True)


def main():
    connection = duckdb.connect(config={"threads": int(sys.argv[1])})
    say({"version": duckdb.__version__})
    for line in sys.stdin:
        query, path = line.rstrip("\n").split(" ", 1)
        try:
            row = connection.execute(QUERIES[query], [path]).fetchone()
            say({"numbers": [int(number) for number in row]})
        except duckdb.Error as error:
            say({"error": str(error).splitlines()[0]})


main()
