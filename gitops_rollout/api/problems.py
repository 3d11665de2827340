"""One clear error for bad input: file, document, path, what is wrong, what to do."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A refusal or a warning; `code` is stable, `message` says what is wrong and what to do.

    `document` counts the documents of a file from 1 (0: the file as a whole); `path` is written as
    people write it, `spec.template.roles[1].name`. Values of Secrets never stand in a message.
    """

    file: str = ""
    document: int = 0
    path: str = ""
    code: str = ""
    message: str = ""

    def within(self, file: str, document: int) -> "Problem":
        """Say where the document stands that the problem was found in."""
        return replace(self, file=file, document=document)

    def under(self, path: str) -> "Problem":
        """Prefix the path: a problem of a part seen from the whole."""
        joint = "" if not self.path or self.path.startswith("[") else "."
        return replace(self, path=f"{path}{joint}{self.path}")

    def __str__(self) -> str:
        place = self.file + (f" (document {self.document})" if self.document else "")
        head = ": ".join(part for part in (place, self.path) if part)
        return f"{head}: {self.message} [{self.code}]" if head else f"{self.message} [{self.code}]"
