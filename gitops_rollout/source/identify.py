"""What a document is: a workload, a policy, another object, or none of these. Looks at nothing else.

Codes: NOT_AN_OBJECT no apiVersion, kind or name; NAME a name that Kubernetes would not take; LIST
several objects in one document; UNKNOWN_KIND not a kind or version that we read. Warnings:
UNMANAGED_KIND published unchanged; SECRET_NOT_PUBLISHED.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from gitops_rollout import __version__
from gitops_rollout.api.calendar_document import read_freeze
from gitops_rollout.api.policy_document import API_VERSION, GROUP, read_policy, read_rollout
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, at, mapping, text
from gitops_rollout.documents.load import Document
from gitops_rollout.documents.unreadable import TEMPLATED
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.kinds.registry import spoken
from gitops_rollout.source.item import Item, Sort
from gitops_rollout.source.scopes import CLUSTER_SCOPED

FORMAT = 2
"""Rises when the same bytes are read in another way: what a cache holds of them is then forgotten."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(
    r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII
)
_RBAC_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([-.:a-z0-9]*[a-z0-9])?", re.ASCII)
_VERSION = re.compile(r"v[0-9]{1,5}((alpha|beta)[0-9]{1,5})?", re.ASCII)
_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}", re.ASCII)
_RBAC = "rbac.authorization.k8s.io"
_FLEET = {(GROUP, "RolloutPolicy"), (GROUP, "Freeze")}


@dataclass(frozen=True)
class Terms:
    """What reading depends on besides the bytes: a cache never mixes two of these."""

    kinds: Mapping[tuple[str, str], Kind]
    default_namespace: str = "default"
    secrets: bool = False

    @cached_property
    def words(self) -> Mapping[str, str]:
        """Give the kind for each word that people may type for it, in lower case."""
        return {word: kind.kind for word, kind in spoken(self.kinds.values()).items()}

    @cached_property
    def key(self) -> str:
        """Give the part of a cache key that stands for these terms."""
        told = [
            __version__,
            FORMAT,
            sorted(map(repr, self.kinds.values())),
            self.default_namespace,
            self.secrets,
        ]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def identify(document: Document, file: str, terms: Terms) -> tuple[Item, bytes]:
    """Say what a document is, and what of its content is kept (see `Item.body`).

    A spec keeps its text and controls as JSON, another object its bytes; everything else nothing.
    """
    found = Item(Sort.UNKNOWN, document.index, file=file)
    value = document.value
    if not isinstance(value, dict):
        return found.refused(
            _not_an_object("", "a document is a mapping with apiVersion, kind and metadata")
        ), b""
    problem = _shape_fault(value)
    if problem is not None:
        return found.refused(problem), b""
    group, _, _ = text(value["apiVersion"]).rpartition("/")
    kind = text(value["kind"])
    scoped = (group, kind) in CLUSTER_SCOPED or (group, kind) in _FLEET
    namespace = "" if scoped else text(at(value, "metadata", "namespace")) or terms.default_namespace
    named = replace(
        found,
        group=group,
        kind=kind,
        namespace=namespace,
        name=text(at(value, "metadata", "name")),
        marks=_marks(value),
    )
    item, body = _sorted(named, value, document.raw, terms)
    if document.templated and item.sort not in (Sort.OTHER, Sort.KEPT):
        # What we render never holds braces; what is published byte for byte may (a dashboard does).
        return item.refused(Problem(code="TEMPLATED", message=TEMPLATED)), b""
    return (replace(item, body=hashlib.sha256(body).hexdigest()) if body else item), body


def _sorted(item: Item, value: Object, raw: bytes, terms: Terms) -> tuple[Item, bytes]:
    kind = terms.kinds.get((item.group, item.kind))
    if kind is not None:
        return _workload(item, value, kind, terms)
    if item.group == GROUP:
        return _policy(item, value, terms), b""
    if (item.group, item.kind) == ("", "Secret") and not terms.secrets:
        message = (
            "a plain Secret is not published; set secrets: true in the pipeline, or use an encrypted kind"
        )
        return _warned(replace(item, sort=Sort.KEPT), "SECRET_NOT_PUBLISHED", message), b""
    return replace(item, sort=Sort.OTHER), raw


def _workload(item: Item, value: Object, kind: Kind, terms: Terms) -> tuple[Item, bytes]:
    if value["apiVersion"] not in kind.api_versions:
        message = f"this version is not read; write {kind.api_versions[0]}"
        refused = replace(item, sort=Sort.REFUSED)
        return refused.refused(Problem(path="apiVersion", code="UNKNOWN_KIND", message=message)), b""
    checked = kind.check(value, terms.default_namespace)
    item = replace(
        item,
        sort=Sort.SPEC if checked.spec is not None and not checked.problems else Sort.REFUSED,
        problems=_placed(checked.problems, item),
        warnings=_placed(checked.warnings or (checked.spec.warnings if checked.spec else ()), item),
    )
    spec = checked.spec or checked.excusable
    if spec is None:
        return item, b""
    kept = [spec.text, spec.controls]
    return item, json.dumps(kept, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _policy(item: Item, value: Object, terms: Terms) -> Item:
    if item.kind == "Freeze":
        return _freeze(item, value)
    if value["apiVersion"] != API_VERSION or item.kind not in ("RolloutPolicy", "RevisionRollout"):
        message = (
            f"write a RolloutPolicy, a RevisionRollout or a Freeze of {API_VERSION}; "
            f"nothing else of {GROUP} is read"
        )
        problem = Problem(path="kind", code="UNKNOWN_KIND", message=message)
        return replace(item, sort=Sort.NOTHING).refused(problem)
    if item.kind == "RolloutPolicy":
        _, problems = read_policy(value)
        sort = Sort.POLICY
    else:
        rollout, problems = read_rollout(value, terms.default_namespace, terms.words)
        sort = Sort.ROLLOUT if rollout else Sort.NOTHING
    return replace(item, sort=sort, value=value, problems=_placed(problems, item))


def _freeze(item: Item, value: Object) -> Item:
    """Read a freeze; one that is refused freezes everything, so it never only vanishes."""
    _, problems = read_freeze(value)
    if value["apiVersion"] != API_VERSION:
        message = f"this version is not read; write {API_VERSION}"
        problems = (*problems, Problem(path="apiVersion", code="UNKNOWN_KIND", message=message))
    return replace(item, sort=Sort.FREEZE, value=value, problems=_placed(problems, item))


def _shape_fault(value: Object) -> Problem | None:
    """Find why a mapping is no object that could be named, or None; names become paths."""
    for name in ("apiVersion", "kind"):
        if not text(value.get(name)):
            return _not_an_object(name, f"{name} is missing or no text; only Kubernetes objects stand here")
    if isinstance(value.get("items"), list) and text(value["kind"]).endswith("List"):
        return Problem(
            path="items", code="LIST", message="write the items of a list as documents of their own"
        )
    metadata = mapping(value.get("metadata"))
    if "generateName" in metadata and not metadata.get("name"):
        return _not_an_object(
            "metadata.generateName", "an object without a fixed name cannot be followed; name it"
        )
    if not text(metadata.get("name")):
        return _not_an_object("metadata.name", "metadata.name is missing or no text")
    return _name_fault(value, metadata)


def _name_fault(value: Object, metadata: Object) -> Problem | None:
    group, _, version = text(value["apiVersion"]).rpartition("/")
    namespace = metadata.get("namespace")
    name_form = _RBAC_NAME if group == _RBAC else _SUBDOMAIN
    rules = (
        ("apiVersion", version, _VERSION, "write group/version, such as apps/v1"),
        ("apiVersion", group or "core", _SUBDOMAIN, "the group is no DNS name"),
        ("kind", value["kind"], _KIND, "a kind is letters and digits, the first a capital"),
        ("metadata.name", metadata["name"], name_form, "at most 253 of a-z, 0-9, inner dashes and dots"),
        ("metadata.namespace", namespace or "default", _LABEL, "at most 63 of a-z, 0-9 and inner dashes"),
    )
    for path, given, form, rule in rules:
        if not isinstance(given, str) or not form.fullmatch(given):
            return Problem(path=path, code="NAME", message=f"{rule}{_odd_character(given)}")
    return None


def _odd_character(given: object) -> str:
    """Show the first character that stands in no name, by its code point where it may not be seen."""
    letters = given if isinstance(given, str) else ""
    odd = next((letter for letter in letters if not re.match(r"[-.a-zA-Z0-9]", letter, re.ASCII)), "")
    if not odd:
        return ""
    return (
        f"; here stands {odd}" if odd.isascii() and odd.isprintable() else f"; here stands U+{ord(odd):04X}"
    )


def _marks(value: Object) -> Mapping[str, str]:
    annotations = mapping(at(value, "metadata", "annotations"))
    return {
        name: written
        for name, written in annotations.items()
        if name.startswith(f"{GROUP}/") and isinstance(written, str)
    }


def _not_an_object(path: str, message: str) -> Problem:
    return Problem(path=path, code="NOT_AN_OBJECT", message=message)


def _placed(problems: tuple[Problem, ...], item: Item) -> tuple[Problem, ...]:
    return tuple(problem.within(item.file, item.document) for problem in problems)


def _warned(item: Item, code: str, message: str) -> Item:
    warning = Problem(file=item.file, document=item.document, path="kind", code=code, message=message)
    return replace(item, warnings=(*item.warnings, warning))
