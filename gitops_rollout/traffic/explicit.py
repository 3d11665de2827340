"""Every default of HTTPRoute v1 written out: what is left to the API server is a difference for ever.

Argo CD compares what Git says with what is live (argo-helm #3538, longhorn #13341).
"""

from gitops_rollout.api.values import Json, Object, mapping, sequence

GATEWAY_GROUP = "gateway.networking.k8s.io"
EVERYTHING: Object = {"path": {"type": "PathPrefix", "value": "/"}}


def parent(written: Object) -> Object:
    """Give a parentRef with its group and kind."""
    return {"group": GATEWAY_GROUP, "kind": "Gateway", **written}


def match(written: Object) -> Object:
    """Give a match with its path, and with the types of its headers and query parameters."""
    path = {**mapping(EVERYTHING["path"]), **mapping(written.get("path"))}
    typed: Object = {
        name: [{"type": "Exact", **mapping(one)} for one in sequence(written[name])]
        for name in ("headers", "queryParams")
        if sequence(written.get(name))
    }
    return {**{name: value for name, value in written.items() if name not in typed}, "path": path, **typed}


def matches(written: Json) -> list[Json]:
    """Give the matches of a rule; none stands for every request."""
    return [match(mapping(one)) for one in sequence(written)] or [EVERYTHING]


def filters(written: Json) -> list[Json]:
    """Give the filters of a rule with the defaults of their members."""
    return [_filter(mapping(one)) for one in sequence(written)]


def _filter(written: Object) -> Object:
    explicit = dict(written)
    if "requestRedirect" in written:
        explicit["requestRedirect"] = {"statusCode": 302, **mapping(written["requestRedirect"])}
    if "cors" in written:
        explicit["cors"] = {"maxAge": 5, **mapping(written["cors"])}
    if "requestMirror" in written:
        mirror = mapping(written["requestMirror"])
        backend: Object = {"group": "", "kind": "Service", **mapping(mirror.get("backendRef"))}
        explicit["requestMirror"] = {**mirror, "backendRef": backend}
        if "fraction" in mirror:
            fraction: Object = {"denominator": 100, **mapping(mirror["fraction"])}
            explicit["requestMirror"] = {**mirror, "backendRef": backend, "fraction": fraction}
    return explicit
