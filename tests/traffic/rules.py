"""Rules of HTTPRoutes that are valid, drawn so that many of them meet the same requests."""

from typing import Any

from hypothesis import strategies as st

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.values import Json, Object, mapping, sequence
from gitops_rollout.gateway.precedence import Request
from gitops_rollout.traffic.pools import Pool
from gitops_rollout.traffic.route import Shares
from tests.traffic.asked import http_route, terms

STABLE, CANDIDATE = "chat-stable", "chat-candidate"
NAMES = ("x-tenant", "x-model", "X-Region")
WORDS = ("a", "b")


def paths() -> st.SearchStrategy[Object]:
    """Few elements, so that prefixes lie within each other; what has a default may be left out."""
    values = st.lists(st.sampled_from(["v1", "chat", "v"]), max_size=3).map(
        lambda parts: "/" + "/".join(parts)
    )
    kinds = st.sampled_from(["Exact", "PathPrefix"])
    return st.fixed_dictionaries({}, optional={"type": kinds, "value": values})


def named(names: tuple[str, ...]) -> st.SearchStrategy[list[Any]]:
    entry = st.fixed_dictionaries(
        {"name": st.sampled_from(names), "value": st.sampled_from(WORDS)},
        optional={"type": st.just("Exact")},
    )
    return st.lists(entry, min_size=1, max_size=2, unique_by=lambda one: str(one["name"]))


def matches() -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries(
        {},
        optional={
            "path": paths(),
            "method": st.sampled_from(["GET", "POST"]),
            "headers": named(NAMES),
            "queryParams": named(("model", "user")),
        },
    )


def backend() -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries(
        {"name": st.sampled_from(["mirror", "audit"]), "port": st.just(80)},
        optional={"kind": st.just("Service"), "namespace": st.sampled_from(["serving", "audits", "logs"])},
    )


def mirrors() -> st.SearchStrategy[Object]:
    fraction = st.fixed_dictionaries({"numerator": st.just(1)}, optional={"denominator": st.just(10)})
    either: list[dict[str, st.SearchStrategy[Any]]] = [{}, {"percent": st.just(5)}, {"fraction": fraction}]
    mirror = st.one_of(*(st.fixed_dictionaries({"backendRef": backend(), **one}) for one in either))
    return mirror.map(lambda one: {"type": "RequestMirror", "requestMirror": one})


def filters() -> st.SearchStrategy[list[Any]]:
    """What may stand together, besides a redirect."""
    header: Object = {"name": "x-by", "value": "edge"}
    single: list[Any] = [
        {"type": "RequestHeaderModifier", "requestHeaderModifier": {"set": [header]}},
        {"type": "ResponseHeaderModifier", "responseHeaderModifier": {"remove": ["server"]}},
        {"type": "CORS", "cors": {"allowOrigins": ["https://a.example"]}},
        {"type": "CORS", "cors": {"maxAge": 60}},
        {"type": "URLRewrite", "urlRewrite": {"hostname": "b.example"}},
    ]
    once = st.lists(st.sampled_from(single), max_size=3, unique_by=lambda one: str(one["type"]))
    return st.tuples(once, st.lists(mirrors(), max_size=2)).map(lambda both: [*both[0], *both[1]])


def redirects() -> st.SearchStrategy[Any]:
    """Redirects of what no other rule asks for by name."""
    to = st.fixed_dictionaries({"scheme": st.just("https")}, optional={"statusCode": st.just(301)})
    filters = to.map(lambda one: [{"type": "RequestRedirect", "requestRedirect": one}])
    return st.fixed_dictionaries({"matches": st.just([{"path": {"value": "/old"}}]), "filters": filters})


def timeouts() -> st.SearchStrategy[Object]:
    return st.sampled_from([{"request": "30s"}, {"request": "1m", "backendRequest": "30s"}])


def rules() -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "name": st.just("mine"),
            "matches": st.lists(matches(), min_size=1, max_size=3),
            "filters": filters(),
            "timeouts": timeouts(),
        },
    )


def source_routes(*, redirecting: bool = False) -> st.SearchStrategy[Object]:
    """Draw HTTPRoutes of the source."""
    hosts = st.lists(st.sampled_from(["a.example", "*.b.example", "c.example"]), unique=True)
    one = st.one_of(rules(), rules(), redirects()) if redirecting else rules()
    # A route of redirects alone has nobody to send requests to.
    drawn = st.tuples(st.lists(one, max_size=7), rules(), hosts)
    return drawn.map(lambda all_: http_route(*all_[0], all_[1], hostnames=[*all_[2]]))


def gateways(*, redirecting: bool = False) -> st.SearchStrategy[Gateway]:
    """Draw terms, taken from HTTPRoutes of the source."""
    return source_routes(redirecting=redirecting).map(lambda route: terms("route: chat", route))


def shares(gateway: Gateway, weight: int | None = 0, header: bool = True) -> Shares:
    """Give shares of two pools; `weight` None: there is no candidate."""
    stable, candidate = (
        Pool(name, name[5:], {"revision": name}, 8000, gateway.backend) for name in (STABLE, CANDIDATE)
    )
    return Shares(stable) if weight is None else Shares(stable, candidate, header, weight)


def request(draw: st.DrawFn, gateway: Gateway) -> Request:
    """Draw a request that some production match takes, with more headers and a longer path where it may."""
    rule = draw(st.sampled_from(gateway.rules))
    match = mapping(draw(st.sampled_from(sequence(rule["matches"]))))
    path = mapping(match["path"])
    below = draw(st.sampled_from(["", "/", "/chat", "/more/of/it"])) if path["type"] == "PathPrefix" else ""
    asked = str(path["value"]).rstrip("/") + below if below else str(path["value"])
    extra = draw(st.dictionaries(st.sampled_from([*NAMES, "accept"]), st.sampled_from(WORDS)))
    wanted = values(match.get("headers"))
    taken = {name.lower() for name in wanted}
    more = {name: value for name, value in extra.items() if name.lower() not in taken}
    hosts = [name.replace("*", "any.where") for name in gateway.hostnames] or ["any.example"]
    return Request(
        draw(st.sampled_from(hosts)),
        asked,
        str(match.get("method") or draw(st.sampled_from(["GET", "POST"]))),
        {**more, **wanted},
        {
            **draw(st.dictionaries(st.just("user"), st.sampled_from(WORDS))),
            **values(match.get("queryParams")),
        },
    )


def values(entries: Json) -> dict[str, str]:
    found = [mapping(one) for one in sequence(entries)]
    return {str(one["name"]): str(one["value"]) for one in found}
