"""One ModelServing document as the rules read it: what has the wrong type reads as absent."""

from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.api.values import Object, at, mapping, text
from gitops_rollout.kinds.modelserving.fields import BY_ROLE, DEFAULT_REPLICAS, TEMPLATES
from gitops_rollout.kinds.modelserving.project import role_names, roles_of, workers_of
from gitops_rollout.kinds.pods import Template
from gitops_rollout.kinds.written import count

ROLES = "spec.template.roles"


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
