"""What a verdict is, as Arrow has it."""

from __future__ import annotations

import pyarrow as pa

_FINDING = pa.struct(
    [
        ("rule", pa.string()),
        ("code", pa.string()),
        ("severity", pa.string()),
        ("from", pa.int64()),
        ("to", pa.int64()),
        ("message", pa.string()),
    ]
)

#: `ok` says that there is no error; `findings` counts those that `err` has no room for, too.
VERDICT_TYPE: pa.StructType = pa.struct(
    [
        ("ok", pa.bool_()),
        ("messages", pa.int64()),
        ("calls", pa.int64()),
        ("findings", pa.int64()),
        ("err", pa.list_(_FINDING)),
    ]
)


def poison_verdict(reason: str) -> pa.StructArray:
    """The verdict on one record that ends the process which reads it."""
    finding = {
        "rule": "bad-record",
        "code": None,
        "severity": "error",
        "from": 0,
        "to": 0,
        "message": f"the record ends the process that reads it: {reason}",
    }
    verdict = {"ok": False, "messages": 0, "calls": 0, "findings": 1, "err": [finding]}
    return pa.array([verdict], VERDICT_TYPE)
