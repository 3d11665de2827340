"""What `git push --porcelain` says, as errors: first match wins, the gravest ref speaks for the push."""

import re
from fnmatch import fnmatchcase

from gitops_rollout.errors import BranchProtected, PushRejected, RemoteUnavailable

_REFUSED = re.compile(r"!\t[^\t]*?:(?P<ref>refs/[^\t:]*)\t\[(?P<by>[^]]+)\](?: \((?P<why>.*)\))?")

# `[rejected]` is our own side's verdict, from the lease and the refs that the server showed;
# `[remote rejected]` is the server's, and most often a hook's. A race that is lost only on the
# server's own lock reads like the latter.
_VERDICTS: tuple[tuple[str, str, type[PushRejected | BranchProtected | RemoteUnavailable]], ...] = (
    ("rejected", "*", PushRejected),
    ("remote rejected", "failed to update ref*", PushRejected),
    ("remote rejected", "cannot lock ref*", PushRejected),
    ("remote rejected", "failed to lock*", PushRejected),
    ("remote rejected", "*incorrect old value*", PushRejected),
    ("remote rejected", "*already exists*", PushRejected),
    ("remote rejected", "*but expected*", PushRejected),
    ("remote rejected", "fetch first", PushRejected),
    ("remote rejected", "*atomic*", PushRejected),
    ("remote rejected", "*transaction*", PushRejected),
    ("remote rejected", "unpacker error", RemoteUnavailable),
    ("remote rejected", "*", BranchProtected),
    ("*", "*", RemoteUnavailable),
)  # fmt: skip
_GRAVITY = (BranchProtected, RemoteUnavailable, PushRejected)


def refusal(output: str, words: str) -> PushRejected | BranchProtected | RemoteUnavailable | None:
    """Give the error that the output of a push means, None when no ref is refused in it.

    `words` is what the server said beside it, fit for a message.
    """
    refused = [match for match in map(_REFUSED.fullmatch, output.splitlines()) if match]
    if not refused:
        return None
    verdicts = {match["ref"]: _verdict(match["by"], match["why"] or "") for match in refused}
    gravest = next(error for error in _GRAVITY if error in verdicts.values())
    refs = ", ".join(sorted(ref for ref, error in verdicts.items() if error is gravest))
    if gravest is PushRejected:
        return PushRejected(f"{refs} moved since it was read")
    why = words or "; ".join(sorted({match["why"] or match["by"] for match in refused}))
    return gravest(f"{refs} takes no push of ours: {why}")


def server_words(complaint: str) -> str:
    """Give what the server itself said, of all that git printed on standard error."""
    said = [
        line.removeprefix("remote:").strip() for line in complaint.splitlines() if line.startswith("remote:")
    ]
    return " ".join(filter(None, said))


def _verdict(by: str, why: str) -> type[PushRejected | BranchProtected | RemoteUnavailable]:
    return next(
        error for who, pattern, error in _VERDICTS if fnmatchcase(by, who) and fnmatchcase(why, pattern)
    )
