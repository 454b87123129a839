"""Keys of stored entities, and calls in bounded batches (`gotn.keys`)."""

from gotn.keys import BATCH, KEY_BYTES, batches, key, part, streamed

__all__ = ["BATCH", "KEY_BYTES", "batches", "key", "part", "streamed"]
