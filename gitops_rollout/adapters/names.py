"""Names that may stand on git's command line: full refs, patterns of refs, object ids."""

import re
from fnmatch import fnmatchcase

_OID = re.compile(r"[0-9a-f]{40}")
# `git check-ref-format`, as one expression: what may not be anywhere in a name.
_NEVER = re.compile(r"[\x00-\x20\x7f~^:\\]|\.\.|@\{|//|/\.|\.lock(/|$)|\.$|/$")


def checked_ref(ref: str) -> str:
    """Give `ref` back; raises ValueError unless it is the full name of a ref, as `refs/heads/main`."""
    if set(ref) & set("*?["):
        raise ValueError(f"not a ref: {ref!r}")
    return checked_pattern(ref)


def checked_pattern(pattern: str) -> str:
    """Give `pattern` back; raises ValueError unless it is a ref in which `*`, `?`, `[…]` may stand."""
    if not pattern.startswith("refs/") or _NEVER.search(pattern):
        raise ValueError(f"not a ref: {pattern!r}")
    return pattern


def checked_oid(oid: str) -> str:
    """Give `oid` back; raises ValueError unless it is a whole object id."""
    if not _OID.fullmatch(oid):
        raise ValueError(f"not an object id: {oid!r}")
    return oid


def matching(listing: str, patterns: tuple[str, ...]) -> dict[str, str]:
    """Read what `git ls-remote` prints: full name → commit, of annotated tags the commit they name.

    git matches the end of a name; here a pattern is the whole name. Without patterns: all refs.
    """
    found: dict[str, str] = {}
    for line in listing.splitlines():
        oid, _, name = line.partition("\t")
        ref = name.removesuffix("^{}")
        if ref.startswith("refs/") and (not patterns or any(fnmatchcase(ref, p) for p in patterns)):
            found[ref] = oid
    return found
