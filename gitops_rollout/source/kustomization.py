"""What a kustomization file refers to, and whether it may be built at all.

Nothing is fetched and nothing of the repository runs: everything that a kustomization names must be a
file or a folder of the repository. Codes: KUSTOMIZE_REMOTE it names something else;
KUSTOMIZE_FORBIDDEN Helm or plugins; KUSTOMIZE_FAILED no kustomization that could be built.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, sequence
from gitops_rollout.documents.load import Limits, Unreadable, load

# kustomize decodes fields in any case: these are case-folded names. The first may name folders.
_PLACES = frozenset({"resources", "bases", "components"})
_FILES = frozenset({"configurations", "crds", "env", "envs", "files", "patchesstrategicmerge", "path"})
_FORBIDDEN = {
    "generators": "plugins do not run here",
    "helmchartinflationgenerator": "Helm charts are not built here; commit what they render",
    "helmcharts": "Helm charts are not built here; commit what they render",
    "helmglobals": "Helm charts are not built here; commit what they render",
    "transformers": "plugins do not run here",
    "validators": "plugins do not run here",
}
_REMOTE = re.compile(r"[a-z][a-z0-9+.-]*:|//|[^/]*@[^/]*[:/]|[^?]*\?(ref|version|timeout)=", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Kustomization:
    """One kustomization file: `places` are what it takes objects from, as paths of the repository.

    `refusal` says why it is not built, whatever it refers to.
    """

    folder: str
    value: Object
    places: tuple[str, ...]
    refusal: Problem | None = None

    @property
    def component(self) -> bool:
        """Say whether it is only a part of others, never built on its own."""
        return self.value.get("kind") == "Component"


class NotBuilt(Exception):
    """The folder is refused as a whole; the problem says why."""

    def __init__(self, code: str, message: str, path: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(path=path, code=code, message=message)


def read_kustomization(raw: bytes, folder: str, limits: Limits) -> Kustomization:
    """Read the kustomization file of `folder`; NotBuilt when it cannot even be read."""
    try:
        documents = load(raw, limits)
    except Unreadable as error:
        raise NotBuilt(error.problem.code, error.problem.message) from None
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict):
        raise NotBuilt("KUSTOMIZE_FAILED", "a kustomization is one mapping")
    inside = (_inside(folder, name) for _, name in _named(value, _PLACES) if not _REMOTE.match(name))
    places = tuple(place for place in inside if place is not None)
    return Kustomization(folder, value, places, _refusal(folder, value))


def _refusal(folder: str, value: Object) -> Problem | None:
    for field in value:
        if field.casefold() in _FORBIDDEN:
            return Problem(path=field, code="KUSTOMIZE_FORBIDDEN", message=_FORBIDDEN[field.casefold()])
    for field, name in _named(value):
        if _REMOTE.match(name) or _inside(folder, name) is None:
            message = "only files and folders of this repository are built, nothing is fetched"
            return Problem(path=field, code="KUSTOMIZE_REMOTE", message=message)
    return None


def _named(
    value: Json, fields: frozenset[str] = _PLACES | _FILES, path: str = ""
) -> Iterator[tuple[str, str]]:
    """Give each (field, text) that kustomize would load; texts of several lines are inline, not names."""
    if isinstance(value, list):
        for item in value:
            yield from _named(item, fields, path)
    elif isinstance(value, dict):
        for name, inner in value.items():
            below = f"{path}.{name}".removeprefix(".")
            if name.casefold() in fields:
                texts = [inner] if isinstance(inner, str) else sequence(inner)
                names = (text for text in texts if isinstance(text, str) and "\n" not in text)
                # A generator's file may be written as key=file.
                yield from (
                    (below, text.rpartition("=")[2] if name.casefold() == "files" else text) for text in names
                )
            yield from _named(inner, fields, below)


def _inside(folder: str, place: str) -> str | None:
    path = posixpath.normpath(posixpath.join(folder, place))
    if path == ".." or path.startswith(("../", "/")):
        return None
    return "" if path == "." else path
