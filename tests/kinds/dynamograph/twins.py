"""Graphs as plans that can be written in either API version: twins mean the same by construction.

The two writers below are independent of the conversion under test: each spells the plan in the words of
its own version.
"""

from dataclasses import dataclass, field, replace
from functools import partial

from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object
from tests.kinds.dynamograph.manifests import ALPHA, BETA

NAMES = ("Frontend", "decode", "Prefill-1", "router")
_TYPES = ("frontend", "worker", "prefill", "decode", "planner", None)
_WORD = st.sampled_from(("a", "b", "yes", "017", "été"))
_AMOUNT = st.sampled_from(("500m", "1", "2", "1Gi"))
_VARIABLES = st.dictionaries(st.sampled_from(("HOST", "PORT", "A")), _WORD, max_size=3)
_LABELS = st.dictionaries(st.sampled_from(("app", "tier")), st.just("x"), max_size=2)


@dataclass(frozen=True)
class Plan:
    """One component in neither spelling; None and empty: not said."""

    name: str
    type: str | None = None
    replicas: int | None = None
    image: str = "engine:1.4.0"
    args: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    secret: str | None = None
    limits: dict[str, str] = field(default_factory=dict)
    mounts: list[str] = field(default_factory=list)
    cache: str | None = None
    probe: int | None = None
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    selector: dict[str, str] = field(default_factory=dict)
    sidecar: str | None = None
    memory: str | None = None
    nodes: int | None = None
    adapter: bool = False
    service: bool = False


def _env(variables: dict[str, str]) -> list[Json]:
    return [{"name": name, "value": value} for name, value in variables.items()]


def _said(**fields: Json) -> Object:
    return {key: part for key, part in fields.items() if part not in (None, [], {}, "")}


def _secret(name: str | None) -> list[Json]:
    return [{"secretRef": {"name": name}}] if name else []


def _mounts(plan: Plan) -> list[Json]:
    named = [*plan.mounts, *([plan.cache] if plan.cache else [])]
    return [{"name": name, "mountPath": f"/{name}"} for name in named]


def _probe(plan: Plan) -> Json:
    return None if plan.probe is None else {"httpGet": {"port": plan.probe}}


def as_component(plan: Plan) -> Object:
    """Write a plan in v1beta1."""
    main = {
        "name": "main",
        "image": plan.image,
        **_said(
            args=[*plan.args],
            env=_env(plan.env),
            envFrom=_secret(plan.secret),
            volumeMounts=_mounts(plan),
            readinessProbe=_probe(plan),
            resources=_said(limits={**plan.limits}),
        ),
    }
    sidecar: list[Json] = [{"name": "sidecar-frontend", "image": plan.sidecar}] if plan.sidecar else []
    template: Object = {"spec": {"containers": [main, *sidecar], **_said(nodeSelector={**plan.selector})}}
    if metadata := _said(labels={**plan.labels}, annotations={**plan.annotations}):
        template["metadata"] = metadata
    return {
        "name": plan.name,
        "podTemplate": template,
        **_said(
            type=plan.type,
            frontendSidecar="sidecar-frontend" if plan.sidecar else None,
            sharedMemorySize=plan.memory,
            compilationCache={"pvcName": plan.cache, "mountPath": f"/{plan.cache}"} if plan.cache else None,
            multinode={"nodeCount": plan.nodes} if plan.nodes else None,
            experimental={"gpuMemoryService": {"mode": "IntraPod"}} if plan.service else None,
        ),
        **({} if plan.replicas is None else {"replicas": plan.replicas}),
        **({"scalingAdapter": {}} if plan.adapter else {}),
    }


def as_service(plan: Plan) -> Object:
    """Write a plan in v1alpha1, with the dedicated fields where there are any."""
    part = plan.type if plan.type in ("prefill", "decode") else None
    flat: list[Json] = [{"name": name, "mountPoint": f"/{name}"} for name in plan.mounts]
    if plan.cache:
        flat.append({"name": plan.cache, "mountPoint": f"/{plan.cache}", "useAsCompilationCache": True})
    main = {"image": plan.image, **_said(args=[*plan.args])}
    return {
        "extraPodSpec": {"mainContainer": main, **_said(nodeSelector={**plan.selector})},
        **_said(
            componentType="worker" if part else plan.type,
            subComponentType=part,
            envs=_env(plan.env),
            envFromSecret=plan.secret,
            readinessProbe=_probe(plan),
            volumeMounts=flat,
            resources=_said(limits=_item(plan.limits)),
            extraPodMetadata=_said(labels={**plan.labels}, annotations={**plan.annotations}),
            sharedMemory={"size": plan.memory} if plan.memory else None,
            frontendSidecar={"image": plan.sidecar} if plan.sidecar else None,
            multinode={"nodeCount": plan.nodes} if plan.nodes else None,
            gpuMemoryService={"enabled": True, "mode": "intraPod"} if plan.service else None,
            scalingAdapter={"enabled": True} if plan.adapter else None,
        ),
        **({} if plan.replicas is None else {"replicas": plan.replicas}),
    }


def _item(limits: dict[str, str]) -> Object:
    known = {"cpu": "cpu", "memory": "memory", "nvidia.com/gpu": "gpu"}
    custom: Object = {name: amount for name, amount in limits.items() if name not in known}
    own: Object = {known[name]: amount for name, amount in limits.items() if name in known}
    return {**own, **_said(custom=custom)}


@st.composite
def plans(draw: st.DrawFn, name: str) -> Plan:
    service = draw(st.booleans())
    limits = draw(st.dictionaries(st.sampled_from(("cpu", "memory", "example.com/nic")), _AMOUNT, max_size=2))
    return Plan(
        name,
        type="worker" if service else draw(st.sampled_from(_TYPES)),
        replicas=draw(st.none() | st.integers(0, 3)),
        image=draw(st.sampled_from(("engine:1.4.0", "engine:1.5.0"))),
        args=draw(st.lists(_WORD, max_size=2)),
        env=draw(_VARIABLES),
        secret=draw(st.none() | st.just("token")),
        limits={**limits, **({"nvidia.com/gpu": "2"} if service else {})},
        mounts=draw(st.lists(st.sampled_from(("models", "data")), max_size=2, unique=True)),
        cache=draw(st.none() | st.just("compiled")),
        probe=draw(st.none() | st.just(8000)),
        labels=draw(_LABELS),
        annotations=draw(_LABELS),
        selector=draw(_LABELS),
        sidecar=draw(st.none() | st.just("router:1.4.0")),
        memory=draw(st.none() | st.sampled_from(("1Gi", "8Gi"))),
        nodes=draw(st.none() | st.integers(2, 3)),
        adapter=draw(st.booleans()),
        service=service,
    )


def written(
    plans_: list[Plan], variables: dict[str, str], wide: Object, packed: bool
) -> tuple[Object, Object]:
    """Write a graph in v1beta1 and in v1alpha1."""
    metadata: Object = {"name": "chat", "annotations": {"team": "a"}}
    head: Object = {"kind": "DynamoGraphDeployment", "metadata": metadata}
    beta: Object = {
        "components": [as_component(plan) for plan in plans_],
        **wide,
        **_said(env=_env(variables)),
        **({"topologyConstraint": {"clusterTopologyName": "t", "packDomain": "rack"}} if packed else {}),
    }
    alpha: Object = {
        "services": {plan.name: as_service(plan) for plan in plans_},
        **wide,
        **_said(envs=_env(variables)),
        **({"topologyConstraint": {"topologyProfile": "t", "packDomain": "rack"}} if packed else {}),
    }
    return {**head, "apiVersion": BETA, "spec": beta}, {**head, "apiVersion": ALPHA, "spec": alpha}


_FEW_NAMES = st.lists(st.sampled_from([name for name in NAMES if name != "decode"]), max_size=2, unique=True)


@st.composite
def twins(draw: st.DrawFn) -> tuple[Object, Object]:
    """Give one graph in v1beta1 and in v1alpha1."""
    found = [draw(plans(name)) for name in ("decode", *draw(_FEW_NAMES))]
    wide = _said(
        labels={**draw(_LABELS)},
        annotations={**draw(_LABELS)},
        backendFramework=draw(st.sampled_from(("", "vllm"))),
    )
    if draw(st.booleans()):
        wide["experimental"] = {"kvTransferPolicy": {"labelKey": "rack", "domain": "rack"}}
    return written(found, draw(_VARIABLES), wide, draw(st.booleans()))


@st.composite
def siblings(draw: st.DrawFn) -> tuple[Object, Object]:
    """Give two graphs, each in some version, of which one may become the other."""
    names = ("decode", *draw(_FEW_NAMES))
    before = [replace(draw(plans(name)), adapter=False) for name in names]
    after = [draw(st.just(one) | plans(one.name).map(partial(_staying, one.nodes))) for one in before]
    variables = draw(_VARIABLES)
    edited = draw(st.just(variables) | _VARIABLES)
    old = written(before, variables, {}, packed=False)
    new = written(after, edited, _said(labels={**draw(_LABELS)}), packed=False)
    return draw(st.sampled_from(old)), draw(st.sampled_from(new))


def _staying(nodes: int | None, plan: Plan) -> Plan:
    return replace(plan, nodes=nodes, adapter=False)


graphs: st.SearchStrategy[Object] = st.tuples(twins(), st.integers(0, 1)).map(lambda pair: pair[0][pair[1]])
"""Graphs of either version."""
