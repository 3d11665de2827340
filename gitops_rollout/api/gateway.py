"""How requests reach a workload: the terms of its route, and what of them each step gives the candidate.

What people write is api/gateway_document.py; which gateway can do what is api/profiles.py.
"""

from dataclasses import dataclass
from enum import StrEnum

from gitops_rollout.api.values import Json, Object, mapping, sequence, text


class Backend(StrEnum):
    """What a revision's requests are sent to."""

    POOL = "InferencePool"
    SERVICE = "Service"


@dataclass(frozen=True, slots=True)
class Traffic:
    """What of the requests a step gives to the candidate.

    `header`: requests that carry the canary header. `weight`: percent of all others, None for the
    candidate's share of the replicas, rounded down.
    """

    header: bool = False
    weight: int | None = None

    def __post_init__(self) -> None:
        if self.weight is not None and not 0 <= self.weight <= 100:
            raise ValueError("a weight is a percentage from 0 to 100")

    def to_json(self) -> Object:
        """Give the form that stands in the rollout file."""
        written: Object = {"header": True} if self.header else {}
        return written if self.weight is None else {**written, "weight": self.weight}

    @classmethod
    def from_json(cls, value: Json) -> "Traffic":
        """Read what `to_json` gave; ValueError for a weight out of range."""
        weight = mapping(value).get("weight")
        number = weight if isinstance(weight, int) and not isinstance(weight, bool) else None
        return cls(mapping(value).get("header") is True, number)


@dataclass(frozen=True, slots=True)
class Header:
    """One header by its exact value. Names compare without case (RFC 9110); values do not."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Picker:
    """The endpoint picker of a pool; `{revision}` in its name stands for the pool's revision."""

    name: str
    port: int


@dataclass(frozen=True, slots=True)
class Gateway:
    """The terms of one owned route: all of it but the shares, every default decided.

    `rules` are the production rules in order, each {name?, matches, filters?, timeouts?} with the
    members of Gateway API HTTPRoute v1. `port` None: each revision's own, from its containers.
    `replaces` is the HTTPRoute of the source whose place this one takes. `adopt` is the label that
    pods carry that ran before (key, value).
    """

    parents: tuple[Object, ...]
    rules: tuple[Object, ...]
    component: str
    name: str
    hostnames: tuple[str, ...] = ()
    header: Header = Header("x-canary", "true")
    backend: Backend = Backend.POOL
    port: int | None = None
    picker: Picker | None = None
    replaces: str = ""
    adopt: tuple[str, str] | None = None

    @property
    def matches(self) -> list[Object]:
        """Give every production match, in the order of the rules."""
        return [mapping(match) for rule in self.rules for match in sequence(rule.get("matches"))]

    def to_json(self) -> Object:
        """Give the object that stands in the rollout file; `from_json` reads it back."""
        value: Object = {
            "name": self.name,
            "parentRefs": [*self.parents],
            "hostnames": [*self.hostnames],
            "rules": [*self.rules],
            "canaryHeader": {"name": self.header.name, "value": self.header.value},
            "component": self.component,
            "backend": self.backend.value,
        }
        if self.port is not None:
            value["targetPort"] = self.port
        if self.picker is not None:
            value["endpointPicker"] = {"name": self.picker.name, "port": self.picker.port}
        if self.replaces:
            value["replaces"] = self.replaces
        if self.adopt is not None:
            value["adopt"] = {"key": self.adopt[0], "value": self.adopt[1]}
        return value

    @classmethod
    def from_json(cls, value: Json) -> "Gateway":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        header, adopt = mapping(fields.get("canaryHeader")), mapping(fields.get("adopt"))
        picker = mapping(fields.get("endpointPicker"))
        if not text(fields.get("name")) or not sequence(fields.get("rules")):
            raise ValueError("recorded terms of a route have a name and rules")
        return cls(
            parents=tuple(map(mapping, sequence(fields.get("parentRefs")))),
            rules=tuple(map(mapping, sequence(fields.get("rules")))),
            component=text(fields.get("component")),
            name=text(fields.get("name")),
            hostnames=tuple(map(text, sequence(fields.get("hostnames")))),
            header=Header(text(header.get("name")), text(header.get("value"))),
            backend=Backend(text(fields.get("backend"))),
            port=_number(fields.get("targetPort")),
            picker=Picker(text(picker.get("name")), _number(picker.get("port")) or 0) if picker else None,
            replaces=text(fields.get("replaces")),
            adopt=(text(adopt.get("key")), text(adopt.get("value"))) if adopt else None,
        )


def _number(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
