"""The form in which values that Kubernetes calls equal are equal JSON, so that it can be hashed.

Equality is Go's equality.Semantic.DeepEqual over the typed value: quantities by amount, absent = null,
nil = empty list or map, zero = absent unless the field is a pointer, list order significant, nothing
defaulted. Unlike Go, fields that we do not know are kept and told, not dropped.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, mapping, text
from gitops_rollout.semantics.scalars import FORMS, ZEROS, WrongType, structure, wrong
from gitops_rollout.semantics.types import Table, TypeRef

# A path while it is walked: the way to the parent, then the own step. Written out only when needed.
_Path: TypeAlias = "tuple[_Path, str | int] | None"
_PLAIN_KEY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


@dataclass(frozen=True, slots=True)
class Typed:
    """What a value means under its type.

    `form`: equal values have equal `canonical_bytes(form)`; it means nothing while there are
    `problems` (code TYPE, paths relative to the value). `unknown`: paths of fields without a type.
    """

    form: Json
    problems: tuple[Problem, ...]
    unknown: tuple[str, ...]


def canonical(value: Json, type_: TypeRef, types: Table) -> Typed:
    """Give the canonical form and everything that is wrong with the value, in one pass."""
    reading = _Reading(types)
    form = reading.form(value, type_, None)
    return Typed(form, tuple(reading.problems), tuple(reading.unknown))


def canonical_bytes(form: Json) -> bytes:
    """Serialize a form so that equal forms give equal bytes on every machine."""
    return json.dumps(
        form, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def fold_aliases(pod_template: Object) -> Object:
    """Give the template with the deprecated `serviceAccount` read as `serviceAccountName`.

    Only for what comes from a cluster or from old history, where the API server writes both; when
    they differ `serviceAccountName` counts (`alias_conflict` says so). The argument is not changed.
    """
    spec = mapping(pod_template.get("spec"))
    if "serviceAccount" not in spec:
        return pod_template
    name = text(spec.get("serviceAccountName")) or spec["serviceAccount"]
    rest = {key: item for key, item in spec.items() if key != "serviceAccount"}
    return {**pod_template, "spec": {**rest, "serviceAccountName": name}}


def folded(pod_template: Object) -> Object:
    """Fold the alias, unless the two contradict each other: that is a difference, and is warned of."""
    return pod_template if alias_conflict(pod_template) else fold_aliases(pod_template)


def alias_conflict(pod_template: Object) -> tuple[Problem, ...]:
    """Warn when a template names two different service accounts."""
    spec = mapping(pod_template.get("spec"))
    alias, name = text(spec.get("serviceAccount")), text(spec.get("serviceAccountName"))
    if not alias or not name or alias == name:
        return ()
    message = "differs from serviceAccountName, which counts; remove the deprecated field"
    return (Problem(path="spec.serviceAccount", code="ALIAS_CONFLICT", message=message),)


@dataclass(slots=True)
class _Reading:
    types: Table
    problems: list[Problem] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def form(self, value: Json, type_: TypeRef, path: _Path) -> Json:
        if isinstance(type_, str):
            return self._scalar(value, type_, path)
        kind, of = type_
        if kind == "*":
            return None if value is None else self.form(value, of, path)
        if kind == "struct":
            return self._struct(value, self.types[str(of)], path)
        if kind == "[]":
            return self._list(value, of, path)
        return self._map(value, of, path)

    def _scalar(self, value: Json, kind: str, path: _Path) -> Json:
        if value is None:
            return ZEROS[kind]
        try:
            return FORMS[kind](value)
        except WrongType as error:
            return self._refuse(error, path)

    def _struct(self, value: Json, fields: Mapping[str, TypeRef], path: _Path) -> Json:
        if not isinstance(value, dict):
            return {} if value is None else self._refuse(wrong("mapping", value), path)
        result: Object = {}
        for name, item in value.items():
            if item is None:
                continue
            type_ = fields.get(name)
            if type_ is None:
                self.unknown.append(_written((path, name)))
                result[name] = structure(item)
                continue
            form = self.form(item, type_, (path, name))
            if not _is_zero(form, type_):
                result[name] = form
        return result

    def _list(self, value: Json, of: TypeRef, path: _Path) -> Json:
        if not isinstance(value, list):
            return [] if value is None else self._refuse(wrong("list", value), path)
        return [self.form(item, of, (path, index)) for index, item in enumerate(value)]

    def _map(self, value: Json, of: TypeRef, path: _Path) -> Json:
        if not isinstance(value, dict):
            return {} if value is None else self._refuse(wrong("mapping", value), path)
        return {key: self.form(item, of, (path, key)) for key, item in value.items()}

    def _refuse(self, error: WrongType, path: _Path) -> Json:
        self.problems.append(Problem(path=_written(path), code="TYPE", message=str(error)))
        return None


def _is_zero(form: Json, type_: TypeRef) -> bool:
    """Say whether a field of this form is the same as no field."""
    if isinstance(type_, str):
        return form == ZEROS[type_]
    return not form and type_[0] != "*"


def _written(path: _Path) -> str:
    """Write a path as people do: `containers[0].env[1].value`, `labels[example.com/tier]`."""
    steps: list[str] = []
    while path is not None:
        path, step = path
        plain = isinstance(step, str) and step != "" and _PLAIN_KEY.issuperset(step)
        steps.append(f".{step}" if plain else f"[{step}]")
    return "".join(reversed(steps)).removeprefix(".")
