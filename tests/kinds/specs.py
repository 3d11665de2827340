"""ModelServings for property tests: accepted ones of every shape that matters."""

from typing import Any

from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object
from tests.kinds.manifests import API

ROLES = ("prefill", "decode", "router")
_AMOUNT = st.sampled_from(("500m", "1", "2", "1Gi", "1G"))
_WORD = st.sampled_from(("a", "b", "yes", "017", "été"))
_FREE: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | _WORD,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORD, inner, max_size=2),
    max_leaves=4,
)


def _some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Object]:
    """Give mappings in which each of the fields may be missing."""
    return st.fixed_dictionaries({}, optional=fields)


def _joined(
    always: dict[str, st.SearchStrategy[Any]], **fields: st.SearchStrategy[Any]
) -> st.SearchStrategy[Object]:
    """Give mappings with fields that are always there and fields that may be missing."""
    return st.fixed_dictionaries(always, optional=fields)


_ENV = st.lists(
    _joined({"name": st.sampled_from(("HOST", "PORT"))}, value=_WORD),
    max_size=2,
    unique_by=lambda entry: str(entry["name"]),
)
_RESOURCES = _some(
    limits=st.dictionaries(st.sampled_from(("cpu", "memory", "nvidia.com/gpu")), _AMOUNT, max_size=2),
    requests=st.dictionaries(st.sampled_from(("cpu", "memory")), _AMOUNT, max_size=2),
)
_PROBE = st.builds(lambda port: {"httpGet": {"port": port}}, st.sampled_from((8000, "http")))
_CONTAINER = _joined(
    {"name": st.just("main"), "image": st.sampled_from(("engine:1", "engine:2"))},
    args=st.lists(_WORD, max_size=2),
    env=_ENV,
    resources=_RESOURCES,
    readinessProbe=_PROBE,
    securityContext=_some(runAsUser=st.integers(0, 1)),
)
_POD_SPEC = _joined(
    {"containers": st.lists(_CONTAINER, min_size=1, max_size=1)},
    nodeSelector=st.dictionaries(_WORD, _WORD, max_size=1),
    terminationGracePeriodSeconds=st.integers(0, 30),
    volumes=st.just([{"name": "cache", "emptyDir": {}}]),
    newField=_FREE,
)
TEMPLATES = _joined(
    {"spec": _POD_SPEC},
    metadata=_some(labels=st.dictionaries(st.sampled_from(("app", "tier")), st.just("x"))),
)


@st.composite
def roles(draw: st.DrawFn, name: str) -> Object:
    workers = draw(st.integers(0, 2))
    role: Object = {"name": name, "entryTemplate": draw(TEMPLATES), "workerReplicas": workers}
    if workers or draw(st.booleans()):
        role["workerTemplate"] = draw(TEMPLATES)
    if draw(st.booleans()):
        role["replicas"] = draw(st.integers(1, 3))
    return role


_PLUGIN = _joined(
    {"name": st.sampled_from(("labels", "tweaks"))},
    config=_FREE,
    scope=_some(roles=st.just(["prefill"]), target=st.sampled_from(("", "All", "Entry", "Worker"))),
)
_AMOUNT_OF_GROUPS = st.integers(0, 6) | st.sampled_from(("0%", "25%", "50%", "100%"))


@st.composite
def servings(draw: st.DrawFn) -> Object:
    """Give a ModelServing that is accepted; `prefill` is always one of its roles."""
    names = ["prefill", *draw(st.lists(st.sampled_from(ROLES[1:]), max_size=2, unique=True))]
    written = [draw(roles(name)) for name in names]
    template: Object = {"roles": [*written]}
    spec: Object = {
        "template": template,
        **draw(_some(replicas=st.integers(0, 5), plugins=st.lists(_PLUGIN))),
    }
    if draw(st.booleans()):
        template["networkTopology"] = {"groupPolicy": {"highestTierAllowed": 1}}
    if draw(st.booleans()):
        template["gangPolicy"] = {"minRoleReplicas": {"prefill": 1}}
    if draw(st.booleans()):
        spec["rolloutStrategy"] = {"type": "RoleRollingUpdate"}
        for role in written:
            role.update(draw(_some(partition=_AMOUNT_OF_GROUPS)))
    elif draw(st.booleans()):
        config = draw(_some(partition=_AMOUNT_OF_GROUPS, maxSurge=st.sampled_from((0, 1, "50%"))))
        spec["rolloutStrategy"] = {"rollingUpdateConfiguration": config}
    return {
        "apiVersion": API,
        "kind": "ModelServing",
        "metadata": {"name": "chat", "annotations": {"team": "a"}},
        "spec": spec,
    }
