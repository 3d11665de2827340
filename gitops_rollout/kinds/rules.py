"""The rules of a kind, and what they make of one document: every problem in one pass."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, at, text
from gitops_rollout.api.workload import Spec, WorkloadKey
from gitops_rollout.kinds.metadata import dropped
from gitops_rollout.kinds.protocol import Checked
from gitops_rollout.kinds.written import problem
from gitops_rollout.semantics.canonical import Typed


class Named(Protocol):
    """A document as the rules of its kind read it."""

    @property
    def name(self) -> str: ...


_Document = TypeVar("_Document", bound=Named)


@dataclass(frozen=True, slots=True)
class Rules(Generic[_Document]):
    """What a kind asks of its documents; `noun` is what people call one of them.

    Refusals and warnings are asked in order, all of them; a document without refusals is split into
    source text and controls.
    """

    kind: str
    noun: str
    api_versions: tuple[str, ...]
    refusals: tuple[Callable[[_Document], Iterator[Problem]], ...]
    warnings: tuple[Callable[[_Document], Iterator[Problem]], ...]
    source_text: Callable[[Object], Object]
    controls_of: Callable[[Object], Object]
    excusable: tuple[Callable[[_Document], Iterator[Problem]], ...] = ()
    """Refusals that the policy of a workload may excuse, which nobody knows here."""

    def check(self, document: _Document, value: Object, typed: Typed, default_namespace: str) -> Checked:
        """Check `document`, which is `value` under its types, `typed`; `value` is not mutated."""
        problems = [*self._kind(value), *typed.problems]
        problems += [found for rule in self.refusals for found in rule(document)]
        excusable = [found for rule in self.excusable for found in rule(document)]
        warnings = [
            problem(path, "UNKNOWN_FIELD", "not a field that we know; kept, but the API server may drop it")
            for path in typed.unknown
        ]
        warnings += [found for rule in self.warnings for found in rule(document)]
        warnings += dropped(value)
        if problems:
            return Checked(None, tuple(dict.fromkeys([*problems, *excusable])), tuple(warnings))
        namespace = text(at(value, "metadata", "namespace")) or default_namespace
        key = WorkloadKey(namespace, self.kind, document.name)
        spec = Spec(key, self.source_text(value), self.controls_of(value), tuple(warnings))
        if excusable:
            return Checked(None, tuple(excusable), tuple(warnings), spec)
        return Checked(spec, (), tuple(warnings))

    def _kind(self, value: Object) -> Iterator[Problem]:
        if value.get("apiVersion") not in self.api_versions:
            known = " or ".join(self.api_versions)
            message = f'"{text(value.get("apiVersion"))}" is not known; write {known}'
            yield problem("apiVersion", "KIND", message)
        if value.get("spec") is None:
            yield problem("spec", "REQUIRED", f"{self.noun} needs a spec")
