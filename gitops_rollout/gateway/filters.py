"""What a rule of an HTTPRoute does to requests: headers, mirror, redirect, rewrite, CORS.

Source: `spec.rules[].filters[]` of the HTTPRoute CRD v1.6.1; filters of a backendRef are the same.
"""

import re
from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, mapping, text
from gitops_rollout.gateway.forms import GROUP, KIND, NAME, NAMESPACE, PORT, PRECISE_HOST, TOKEN
from gitops_rollout.gateway.matches import METHODS, repeated_headers
from gitops_rollout.gateway.structure import (
    Choice,
    Fields,
    Flag,
    Form,
    Items,
    Number,
    Part,
    Text,
    problem,
    repeated,
    repeated_texts,
    whole,
)

FIELD_OF = {
    "RequestHeaderModifier": "requestHeaderModifier",
    "ResponseHeaderModifier": "responseHeaderModifier",
    "RequestMirror": "requestMirror",
    "RequestRedirect": "requestRedirect",
    "URLRewrite": "urlRewrite",
    "ExtensionRef": "extensionRef",
    "CORS": "cors",
}
"""The one field that a filter of each type has."""

_ONCE = ("CORS", "RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite")


def service_port(ref: Object) -> Iterator[Problem]:
    """A reference to a core Service names a port; without group and kind it is one."""
    if ref.get("group", "") == "" and ref.get("kind", "Service") == "Service" and "port" not in ref:
        message = "a Service needs a port; write it, or group and kind if no Service is meant"
        yield problem("port", "REQUIRED", message)


def _own_field(found: Object) -> Iterator[Problem]:
    """A filter has the field of its type and none of another."""
    kind = text(found.get("type"))
    if kind not in FIELD_OF:
        return
    own = FIELD_OF[kind]
    if own not in found:
        yield problem(own, "REQUIRED", f"a filter of type {kind} needs {own}; write it")
    for other in FIELD_OF.values():
        if other != own and other in found:
            message = f"a filter of type {kind} has {own} only; remove this, or make it a filter of its own"
            yield problem(other, "CONFLICT", message)


def _once(filters: list[Json]) -> Iterator[Problem]:
    """Most types stand once in a list."""
    kinds = ((index, text(mapping(found).get("type"))) for index, found in enumerate(filters))
    for index, first in repeated((i, kind) for i, kind in kinds if kind in _ONCE):
        message = f"a filter of this type already stands at [{first}]; put both into one"
        yield problem(f"[{index}].type", "DUPLICATE", message)


def _redirect_or_rewrite(filters: list[Json]) -> Iterator[Problem]:
    """What is redirected goes to no backend, so there is nothing to rewrite."""
    kinds = [text(mapping(found).get("type")) for found in filters]
    if "RequestRedirect" in kinds and "URLRewrite" in kinds:
        path = f"[{kinds.index('URLRewrite')}].type"
        yield problem(path, "CONFLICT", "URLRewrite cannot stand beside RequestRedirect; remove one")


def _path_by_type(path: Object) -> Iterator[Problem]:
    """A path modifier has the field of its type and not the other."""
    fields = {"ReplaceFullPath": "replaceFullPath", "ReplacePrefixMatch": "replacePrefixMatch"}
    kind = text(path.get("type"))
    for needed_by, field in fields.items():
        if kind == needed_by and field not in path:
            yield problem(field, "REQUIRED", f"type {kind} needs {field}; write it")
        if kind in fields and kind != needed_by and field in path:
            yield problem(field, "CONFLICT", f"type {kind} has no {field}; remove it, or correct the type")


def _star_alone(items: list[Json]) -> Iterator[Problem]:
    """What allows all allows nothing beside it."""
    if "*" in items and len(items) > 1:
        yield problem("", "CONFLICT", '"*" allows everything and stands alone; remove it or the others')


def _percent_or_fraction(mirror: Object) -> Iterator[Problem]:
    if "percent" in mirror and "fraction" in mirror:
        yield problem("fraction", "CONFLICT", "percent is written too; remove one")


def _at_most_all(fraction: Object) -> Iterator[Problem]:
    numerator, denominator = fraction.get("numerator"), fraction.get("denominator", 100)
    if whole(numerator) and whole(denominator) and numerator > denominator:
        yield problem("numerator", "RANGE", "it is larger than the denominator (100 unless written)")


_HEADERS = Items(
    Fields({"name": TOKEN, "value": Text(1, 4096)}, ("name", "value")), 16, rules=(repeated_headers,)
)
_HEADER_MODIFIER = Fields(
    {"set": _HEADERS, "add": _HEADERS, "remove": Items(Text(), 16, rules=(repeated_texts,))}
)

_PATH = Fields(
    {
        "type": Choice(("ReplaceFullPath", "ReplacePrefixMatch")),
        "replaceFullPath": Text(0, 1024),
        "replacePrefixMatch": Text(0, 1024),
    },
    ("type",),
    rules=(_path_by_type,),
)
_REDIRECT = Fields(
    {
        "scheme": Choice(("http", "https")),
        "hostname": PRECISE_HOST,
        "path": _PATH,
        "port": PORT,
        "statusCode": Choice((301, 302, 303, 307, 308)),
    }
)
_REWRITE = Fields({"hostname": PRECISE_HOST, "path": _PATH})

_MIRROR = Fields(
    {
        "backendRef": Fields(
            {"group": GROUP, "kind": KIND, "name": NAME, "namespace": NAMESPACE, "port": PORT},
            ("name",),
            rules=(service_port,),
        ),
        "percent": Number(0, 100),
        "fraction": Fields(
            {"numerator": Number(0), "denominator": Number(1)}, ("numerator",), rules=(_at_most_all,)
        ),
    },
    ("backendRef",),
    rules=(_percent_or_fraction,),
)

_ORIGIN = Form(
    re.compile(
        r"(^\*$)|(^(http(s)?):\/\/(((\*\.)?([a-zA-Z0-9\-]+\.)*[a-zA-Z0-9-]+|\*)(:([0-9]{1,5}))?)$)", re.ASCII
    ),
    'an origin such as https://app.example.com:8443; "*" may stand for the first part, or for all',
    code="FORMAT",
)


def _several(item: Part, most: int, *, star_alone: bool = True) -> Items:
    return Items(item, most, rules=(repeated_texts, _star_alone) if star_alone else (repeated_texts,))


_CORS = Fields(
    {
        "allowOrigins": _several(Text(1, 253, _ORIGIN), 64),
        "allowCredentials": Flag(),
        "allowMethods": _several(Choice((*METHODS, "*")), 9),
        "allowHeaders": _several(TOKEN, 64),
        "exposeHeaders": _several(TOKEN, 64, star_alone=False),
        "maxAge": Number(1),
    }
)

_FILTER = Fields(
    {
        "type": Choice(tuple(FIELD_OF)),
        "requestHeaderModifier": _HEADER_MODIFIER,
        "responseHeaderModifier": _HEADER_MODIFIER,
        "requestMirror": _MIRROR,
        "requestRedirect": _REDIRECT,
        "urlRewrite": _REWRITE,
        "extensionRef": Fields({"group": GROUP, "kind": KIND, "name": NAME}, ("group", "kind", "name")),
        "cors": _CORS,
    },
    ("type",),
    rules=(_own_field,),
)

FILTERS = Items(_FILTER, 16, rules=(_once, _redirect_or_rewrite))
