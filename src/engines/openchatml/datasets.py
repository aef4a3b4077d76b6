"""Hugging Face datasets: `dataset.map` with a process of the command beside each of its own.

    from openchatml.datasets import verdicts

    verdicts(load_dataset("parquet", data_files="chats/*.parquet", split="train"), num_proc=2)
"""

from __future__ import annotations

from typing import Any, TypeVar

from datasets import Dataset, IterableDataset

from .filter import Filter

Rows = TypeVar("Rows", Dataset, IterableDataset)


def verdicts(dataset: Rows, *, batch_size: int = 1000, num_proc: int | None = None, **settings: Any) -> Rows:
    """The rows with their verdicts, or those that are kept; `settings` are those of `Filter`.

    Args:
        batch_size: Rows that go to a process at once.
        num_proc: Processes of `dataset.map`; streamed datasets have none.
    """
    judge = Filter(**settings)
    arrow = dataset.with_format("arrow")
    try:
        if isinstance(arrow, IterableDataset):
            return arrow.map(judge, batched=True, batch_size=batch_size).with_format(None)
        judged = arrow.map(judge, batched=True, batch_size=batch_size, num_proc=num_proc)
        return judged.with_format(dataset.format["type"], **dataset.format["format_kwargs"])
    finally:
        judge.close()
