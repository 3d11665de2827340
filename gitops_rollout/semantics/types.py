"""Which Go type stands behind each field: what decides whether two spellings are one value.

A TypeRef is a scalar or a pair: "s" string, "b" bool, "i32" and "i64" integers, "q" quantity, "ios"
int-or-string, "t" time, "raw" any JSON; ["*", T] pointer, ["[]", T] list, ["map", T] map with text
keys, ["struct", name] a struct of the table. The facts about core/v1 are those of Kubernetes 1.36.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TypeAlias

TypeRef: TypeAlias = "str | Sequence[TypeRef]"
Table: TypeAlias = Mapping[str, Mapping[str, TypeRef]]

POD_TEMPLATE: TypeRef = ("struct", "core.PodTemplateSpec")


@cache
def core_types() -> Table:
    """Give the structs of a pod template, `core.…` and `meta.…`, field by field."""
    raw = files(__package__).joinpath("core-1.36.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(raw))


def with_core(own: Table) -> Table:
    """Give the core structs and a kind's own in one table; raises ValueError for a name of both."""
    both = core_types().keys() & own.keys()
    if both:
        raise ValueError(f"structs that core has already: {sorted(both)}")
    return MappingProxyType({**core_types(), **own})
