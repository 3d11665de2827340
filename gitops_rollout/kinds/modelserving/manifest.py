"""One ModelServing document as the rules read it: what has the wrong type reads as absent."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, text
from gitops_rollout.kinds.modelserving.amounts import count
from gitops_rollout.kinds.modelserving.fields import BY_ROLE, DEFAULT_REPLICAS, TEMPLATES
from gitops_rollout.kinds.modelserving.project import role_names, roles_of, workers_of

ROLES = "spec.template.roles"


@dataclass(frozen=True, slots=True)
class Template:
    """One pod template and where it stands."""

    path: str
    value: Object
    used: bool
    """False for the template of no workers: nothing is made from it, so it may be empty."""

    @property
    def spec(self) -> Object:
        return mapping(self.value.get("spec"))

    def containers(self, *fields: str) -> Iterator[tuple[str, Object]]:
        """Give path and value of each container in the lists `fields`, in order."""
        for field in fields:
            listed = self.spec.get(field)
            for index, container in enumerate(listed if isinstance(listed, list) else ()):
                yield f"{self.path}.spec.{field}[{index}]", mapping(container)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A document of the right kind, its problems of type already told."""

    value: Object

    @property
    def name(self) -> str:
        return text(at(self.value, "metadata", "name"))

    @property
    def spec(self) -> Object:
        return mapping(self.value.get("spec"))

    @property
    def template(self) -> Object:
        return mapping(self.spec.get("template"))

    @property
    def strategy(self) -> Object:
        return mapping(self.spec.get("rolloutStrategy"))

    @property
    def by_role(self) -> bool:
        return self.strategy.get("type") == BY_ROLE

    @property
    def replicas(self) -> int:
        return count(self.spec.get("replicas"), DEFAULT_REPLICAS)

    def roles(self) -> Iterator[tuple[str, Object]]:
        """Give path and value of each role, in order."""
        for index, role in enumerate(roles_of(self.value)):
            yield f"{ROLES}[{index}]", role

    def role_names(self) -> frozenset[str]:
        return role_names(self.value)

    def templates(self) -> Iterator[Template]:
        """Give the pod templates of all roles that are written."""
        for path, role in self.roles():
            for field in TEMPLATES:
                if isinstance(role.get(field), dict):
                    used = field == TEMPLATES[0] or workers_of(role) > 0
                    yield Template(f"{path}.{field}", mapping(role[field]), used)


def problem(path: str, code: str, message: str) -> Problem:
    """Make one problem; file and document are known to the caller's caller."""
    return Problem(path=path, code=code, message=message)


def foreign(word: str) -> str:
    """Name the first character of `word` that is not printable ASCII, with its code point; or nothing."""
    for index, character in enumerate(word):
        if not "!" <= character <= "~":
            name = unicodedata.name(character, "a control character")
            return f"character {index + 1} is U+{ord(character):04X} ({name})"
    return ""


def negative(value: Json) -> bool:
    return isinstance(value, int | float) and value < 0
