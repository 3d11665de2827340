"""How a revision is shown to people: its name says nothing, its images and its commit do."""

from collections.abc import Iterator

from gitops_rollout.api.values import Json
from gitops_rollout.revision.history import History
from gitops_rollout.revision.record import Revision

_MOST = 2


def images(value: Json) -> Iterator[str]:
    """Give the images that a source text names, in its order."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "image" and isinstance(member, str):
                yield member
            else:
                yield from images(member)
    elif isinstance(value, list):
        for member in value:
            yield from images(member)


def described(revision: Revision) -> str:
    """Give `r4f0c2a9b1d (vllm:0.10.2, commit 8a1c2e9f00)`; registries and repeats are left out."""
    short = [*dict.fromkeys(image.rpartition("/")[2] for image in images(revision.text))]
    more = ["…"] if len(short) > _MOST else []
    commit = [f"commit {revision.commit[:10]}"] if revision.commit else []
    return f"{revision.id} ({', '.join([*short[:_MOST], *more, *commit])})"


def named(history: History | None, revision: str | None) -> str:
    """Describe a revision by its name; one that is not recorded keeps just its name."""
    found = history.get(revision) if history is not None else None
    return described(found) if found is not None else revision or "nothing"
