"""datatrove: a filter, for pipelines of documents.

    from openchatml.datatrove import ChatFilter

    LocalPipelineExecutor([JsonlReader("chats", text_key="text"), ChatFilter(), JsonlWriter("kept")]).run()
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import nullcontext
from typing import Any

import pyarrow as pa
from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.writers.disk_base import DiskWriter
from datatrove.utils.batching import batched
from datatrove.utils.typeshelper import StatHints

from .filter import Filter


def record_of(document: Document) -> dict[str, Any]:
    """Its `messages` or `conversations` with their `tools`, where a reader has put them into the metadata; else its
    text, as a transcript."""
    for name in ("messages", "conversations"):
        messages = document.metadata.get(name)
        if messages is not None:
            tools = document.metadata.get("tools")
            return {name: messages} if tools is None else {name: messages, "tools": tools}
    return {"text": document.text}


class ChatFilter(PipelineStep):
    """Drops the documents whose chats have errors; the verdict of each stands in its metadata.

    Args:
        drops: False: all documents go on, with their verdicts.
        record: What of a document is judged: a record as `openchatml filter` reads it.
        exclusion_writer: Takes what is dropped.
        batch_size: Documents that are judged at once.
        settings: Those of `Filter`, without `record_column` and `keep`.
    """

    name = "💬 OpenChatML"
    type = "🔻 - FILTER"

    def __init__(
        self,
        *,
        drops: bool = True,
        record: Callable[[Document], dict[str, Any]] = record_of,
        exclusion_writer: DiskWriter | None = None,
        batch_size: int = 256,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.exclusion_writer = exclusion_writer
        self.batch_size = batch_size
        self._drops = drops
        self._record = record
        self._filter = Filter(**settings, record_column="record")

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> Generator[Document, None, None]:
        """The documents that go on."""
        try:
            with self.exclusion_writer or nullcontext() as writer:
                for batch in batched(data, self.batch_size):
                    with self.track_time("batch"):
                        verdicts = self._judge(batch)
                    for document, verdict in zip(batch, verdicts, strict=True):
                        self.stat_update(StatHints.total)
                        if verdict["ok"] or not self._drops:
                            self.stat_update(StatHints.forwarded)
                            self.update_doc_stats(document)
                            yield document
                            continue
                        rule = verdict["err"][0]["rule"]
                        self.stat_update(StatHints.dropped, f"dropped_{rule}")
                        document.metadata["filter_reason"] = rule
                        if writer is not None:
                            writer.write(document, rank)
        finally:
            self._filter.close()

    def _judge(self, batch: list[Document]) -> list[dict[str, Any]]:
        records = [_bytes(json.dumps(self._record(document), ensure_ascii=False)) for document in batch]
        verdicts = self._filter.verdicts(pa.table({"record": pa.array(records, pa.large_binary())})).to_pylist()
        for document, verdict in zip(batch, verdicts, strict=True):
            document.metadata[self._filter.column] = verdict
        return verdicts


def _bytes(record: str) -> bytes:
    """Half a character has no UTF-8, and is a finding."""
    return record.encode("utf8", "surrogatepass")
