"""Arrow streams of one column `c`, a type each: the rows as JSON on the first line, then each stream in base64."""

import base64
import datetime
import json
import sys

import pyarrow as pa

DAY = datetime.date(2024, 2, 29)
TIME = datetime.datetime(2024, 2, 29, 12, 34, 56, 789000)
LONG = "a text that is longer than a view, with é and \"quotes\""
STRUCT = pa.struct([("a", pa.string()), ("b", pa.int32())])

CASES = [
    ("string", pa.array(["{}", None, "x\ny"]), ["{}", "null", "x\ry"]),
    ("large", pa.array(["{}", None, "x"], pa.large_string()), ["{}", "null", "x"]),
    ("binary", pa.array([b"{}", None], pa.binary()), ["{}", "null"]),
    ("view", pa.array(["{}", None, LONG, "twelve bytes"], pa.string_view()), ["{}", "null", LONG, "twelve bytes"]),
    ("dictionary", pa.array(["{}", None, "x", "{}"]).dictionary_encode(), ["{}", "null", "x", "{}"]),
    ("struct", pa.array([{"a": LONG, "b": 1}, {"a": None, "b": -2}, None], STRUCT),
     [json.dumps({"a": LONG, "b": 1}, ensure_ascii=False, separators=(",", ":")), '{"b":-2}', "null"]),
    ("list", pa.array([[1, None], [], None], pa.list_(pa.int8())), ["[1,null]", "[]", "null"]),
    ("large list", pa.array([["a"], []], pa.large_list(pa.large_string())), ['["a"]', "[]"]),
    ("fixed list", pa.array([[1, 2], [3, 4]], pa.list_(pa.uint16(), 2)), ["[1,2]", "[3,4]"]),
    ("map", pa.array([[("k", 1), ("l", None)], []], pa.map_(pa.string(), pa.int64())), ['{"k":1}', "{}"]),
    ("map of numbers", pa.array([[(7, "x")]], pa.map_(pa.int32(), pa.string())), ['{"7":"x"}']),
    ("bool", pa.array([True, False, None]), ["true", "false", "null"]),
    ("int64", pa.array([2**63 - 1, -(2**63)], pa.int64()), ["9223372036854775807", "-9223372036854775808"]),
    ("uint64", pa.array([2**64 - 1], pa.uint64()), ["18446744073709551615"]),
    ("float", pa.array([0.5, float("nan"), float("inf"), 1e300], pa.float64()), ["0.5", "null", "null", "1e+300"]),
    ("half", pa.array([0.5], pa.float32()).cast(pa.float16()), ["0.5"]),
    ("null", pa.nulls(2), ["null", "null"]),
    ("date", pa.array([DAY], pa.date32()), ['"2024-02-29"']),
    ("date64", pa.array([DAY], pa.date64()), ['"2024-02-29"']),
    ("seconds", pa.array([TIME], pa.timestamp("ms")).cast(pa.timestamp("s"), safe=False), ['"2024-02-29T12:34:56Z"']),
    ("milliseconds", pa.array([TIME], pa.timestamp("ms", "UTC")), ['"2024-02-29T12:34:56.789Z"']),
    ("nanoseconds", pa.array([TIME], pa.timestamp("ns")), ['"2024-02-29T12:34:56.789000000Z"']),
    ("dictionary of structs", pa.DictionaryArray.from_arrays(
        pa.array([1, 0, None], pa.int8()), pa.array([{"a": "x", "b": 1}, {"a": "y", "b": 2}], STRUCT),
    ), ['{"a":"y","b":2}', '{"a":"x","b":1}', "null"]),
]


def stream(array: pa.Array, name: str, options: pa.ipc.IpcWriteOptions | None = None) -> str:
    sink = pa.BufferOutputStream()
    table = pa.table({name: array})
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
        # Slices keep the buffers of the whole.
        writer.write_table(table.slice(len(array)))
    return base64.b64encode(sink.getvalue()).decode()


if len(sys.argv) > 1:
    options = pa.ipc.IpcWriteOptions(compression=sys.argv[1])
    print(stream(pa.array(["x" * 1000]), "text", options))
else:
    print(json.dumps([rows for _, _, rows in CASES]))
    for name, array, _ in CASES:
        print(name.replace(" ", "_"), stream(array, "c"))
