"""Finds the bytes of each document in a file, for objects that are republished as they are."""

import re
from bisect import bisect_right

# A marker at the start of a line ends a document even inside a scalar, so finding it needs no parser.
_MARKER = re.compile("(?:\\A|(?<=[\n\r\x85\u2028\u2029]))(?:---|\\.\\.\\.)(?=[ \t\n\r\x85\u2028\u2029]|\\Z)")
_REST_OF_MARKER = re.compile("[ \t]*(?:#[^\n\r]*)?(?:\r\n|[\n\r\x85\u2028\u2029]|\\Z)")


class Cuts:
    """Where documents begin and end in a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        markers = list(_MARKER.finditer(text)) if "---" in text or "..." in text else []
        self._starts = [0, *(self._after(marker.end()) for marker in markers)]
        self._ends = [*(marker.start() for marker in markers), len(text)]

    def _after(self, position: int) -> int:
        """Skip the rest of a separator line, unless the document begins on it."""
        rest = _REST_OF_MARKER.match(self._text, position)
        return rest.end() if rest else position

    def around(self, position: int) -> bytes:
        """Give the bytes of the document that `position` lies in."""
        part = bisect_right(self._starts, position) - 1
        return self._text[self._starts[part] : self._ends[part]].encode()
