"""Lines of chat records as shards: `make_shards.py RECORDS FOLDER COUNT POISON`. Each is a file of lines and one of
Parquet; the last one is empty. Two records hold the text POISON; their ids are printed."""

import gzip
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

source, folder, count, poison = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
with gzip.open(source) as file:
    records = [json.loads(line) for line in file]

CALL = pa.struct([("id", pa.string()), ("type", pa.string()), ("function", pa.struct(
    [("name", pa.string()), ("arguments", pa.string())]))])
MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string()), ("tool_calls", pa.list_(CALL)),
                     ("tool_call_id", pa.string()), ("name", pa.string())])
SCHEMA = pa.schema([("id", pa.string()), ("tools", pa.string()), ("messages", pa.list_(MESSAGE))])

folder.mkdir(parents=True)
poisoned = [records[len(records) // 3], records[len(records) // 2]]
for record in poisoned:
    message = next(message for message in record["messages"] if message.get("content"))
    message["content"] += f" {poison}"

full = count - 1
for number in range(count):
    part = records[number::full] if number < full else []
    (folder / f"{number}.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in part))
    rows = [{"id": r["id"], "tools": json.dumps(r["tools"]), "messages": r["messages"]} for r in part]
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), folder / f"{number}.parquet", row_group_size=512)
print(json.dumps([record["id"] for record in poisoned]))
