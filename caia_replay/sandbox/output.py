"""What a guest writes, kept only as far as it will be shown."""

from __future__ import annotations

import codecs


class Output:
    """What is written to one descriptor: its first bytes, or its last, and how many there were."""

    def __init__(self, limit_bytes: int, *, last: bool) -> None:
        self._limit, self._last = limit_bytes, last
        self._kept = bytearray()
        self._size = 0

    def share(self, size: int) -> range:
        """Which of the next ``size`` bytes would be kept, by their places among them."""
        if self._last:
            return range(max(0, size - self._limit), size)
        return range(min(size, self._limit - len(self._kept)))

    def add(self, data: bytes, *, left_out: int = 0) -> None:
        """Take what was written; ``left_out`` more bytes, which are not in its ``share``, are counted alone."""
        self._size += len(data) + left_out
        if self._last:
            self._kept += data[max(0, len(data) - self._limit) :]
            del self._kept[: max(0, len(self._kept) - self._limit)]
        else:
            self._kept += data[: self._limit - len(self._kept)]

    def take(self) -> tuple[str, int]:
        """What was kept, as text, and how many bytes there were in all; then begin anew.

        A character that the cut went through is left out; other bytes that are no UTF-8 become replacement characters.
        """
        kept, size = bytes(self._kept), self._size
        self._kept.clear()
        self._size = 0
        is_cut = size > len(kept)
        if is_cut and self._last:
            begins = (at for at, byte in enumerate(kept[:3]) if byte & 0xC0 != 0x80)
            kept = kept[next(begins, 3) :]
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(kept, final=not is_cut or self._last), size
