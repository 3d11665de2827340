"""What a rule of an HTTPRoute asks of a request: path, headers, query parameters, method.

Source: `spec.rules[].matches[]` of the HTTPRoute CRD v1.6.1 with its eleven CEL rules about paths.
"""

import re
from collections.abc import Callable, Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.gateway.forms import TOKEN
from gitops_rollout.gateway.structure import Choice, Fields, Items, Text, problem, repeated, shown

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH")

_CHARACTERS = re.compile(r"(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+")
_FAULTS: tuple[tuple[Callable[[str], bool], str], ...] = (
    (lambda path: not path.startswith("/"), 'it starts with "/"'),
    (lambda path: "//" in path, 'no "//"'),
    (lambda path: "/./" in path, 'no "/./"'),
    (lambda path: "/../" in path, 'no "/../"'),
    (lambda path: "%2f" in path, 'no "%2f"'),
    (lambda path: "%2F" in path, 'no "%2F"'),
    (lambda path: "#" in path, 'no "#"'),
    (lambda path: path.endswith("/.."), 'no "/.." at the end'),
    (lambda path: path.endswith("/."), 'no "/." at the end'),
    (lambda path: not _CHARACTERS.fullmatch(path), "only letters, digits, -/._~!$&'()*+,;=:@ and %XX"),
)
"""What makes a path useless for Exact and PathPrefix, and what to write instead."""


def _literal_path(path: Object) -> Iterator[Problem]:
    """A path that is compared as it stands is in the form in which gateways see requests."""
    value = path.get("value", "/")
    # A type that is not known is a fault of its own.
    if path.get("type", "PathPrefix") not in ("Exact", "PathPrefix") or not isinstance(value, str):
        return
    rules = [rule for wrong, rule in _FAULTS if wrong(value)]
    if rules:
        yield problem("value", "FORMAT", f"{shown(value)} matches no request; a path: {', '.join(rules)}")


def repeated_headers(items: list[Json]) -> Iterator[Problem]:
    """A header stands once. The API server compares names letter by letter, gateways without case."""
    names = ((index, mapping(item).get("name")) for index, item in enumerate(items))
    for index, first in repeated((i, name.lower()) for i, name in names if isinstance(name, str)):
        message = f"this header already stands at [{first}], case apart, and only that one counts; remove one"
        yield problem(f"[{index}].name", "DUPLICATE", message)


def _repeated_parameters(items: list[Json]) -> Iterator[Problem]:
    names = ((index, mapping(item).get("name")) for index, item in enumerate(items))
    for index, first in repeated((i, name) for i, name in names if isinstance(name, str)):
        yield problem(
            f"[{index}].name", "DUPLICATE", f"this parameter already stands at [{first}]; remove one"
        )


def _named_value(longest: int) -> Fields:
    kinds = Choice(("Exact", "RegularExpression"))
    return Fields({"type": kinds, "name": TOKEN, "value": Text(1, longest)}, ("name", "value"))


_PATH = Fields(
    {"type": Choice(("Exact", "PathPrefix", "RegularExpression")), "value": Text(0, 1024)},
    rules=(_literal_path,),
)

MATCH = Fields(
    {
        "path": _PATH,
        "headers": Items(_named_value(4096), 16, rules=(repeated_headers,)),
        "queryParams": Items(_named_value(1024), 16, rules=(_repeated_parameters,)),
        "method": Choice(METHODS),
    }
)
