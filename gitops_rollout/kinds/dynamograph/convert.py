"""From a service of v1alpha1 to a component of v1beta1, as the operator's conversion webhook does it.

The result shares structure with its argument and changes nothing in it. What only v1alpha1 can say
stays beside it (`subComponentType` that is no promotion, `annotations`, `labels`); fields that nobody
knows stay too, under their own name, or under `v1alpha1.<name>` where v1beta1 means something else by it.
"""

from collections.abc import Iterable

from gitops_rollout.api.values import Json, Object, mapping, sequence, text
from gitops_rollout.kinds.dynamograph.fields import table
from gitops_rollout.kinds.dynamograph.words import ALPHA_MODES, DEFAULT_GPU, MAIN, SIDECAR
from gitops_rollout.kinds.written import present, without

_ALIKE = (
    "runtimeVersionOverride",
    "globalDynamoNamespace",
    "replicas",
    "minAvailable",
    "multinode",
    "modelRef",
    "eppConfig",
    "topologyConstraint",
    "providerOverride",
    "annotations",
    "labels",
)
_PROMOTED = ("prefill", "decode")
_EMPTY: tuple[Json, ...] = (None, "", 0, False, [], {})


def component_of(name: str, service: Object) -> Object:
    """Give the service called `name` as a component; the key of the services counts, not `serviceName`."""
    component: Object = {"name": name, **present({field: service.get(field) for field in _ALIKE})}
    kind, sub = text(service.get("componentType")), text(service.get("subComponentType"))
    promoted = kind == "worker" and sub in _PROMOTED
    added: Object = {
        "type": (sub if promoted else kind) or None,
        "subComponentType": None if promoted else sub or None,
        "sharedMemorySize": _shared_memory(mapping(service.get("sharedMemory"))),
        "compilationCache": _compilation_cache(service),
        "scalingAdapter": {} if mapping(service.get("scalingAdapter")).get("enabled") is True else None,
        "experimental": _experimental(service),
        "podTemplate": pod_template(service),
        "frontendSidecar": SIDECAR if service.get("frontendSidecar") is not None else None,
    }
    return {**component, **present(added), **_unknown(service)}


def _unknown(service: Object) -> Object:
    """Give the fields that v1alpha1 does not know, and those of structs that the conversion takes apart."""
    kept = _strangers("dynamo.Service", service)
    for field, struct in (("sharedMemory", "dynamo.SharedMemory"), ("resources", "dynamo.Resources")):
        if strange := _strangers(struct, mapping(service.get(field))):
            kept[field] = dict(strange)
    known = table()["dynamo.Projected"]
    return {f"v1alpha1.{key}" if key in known else key: part for key, part in kept.items()}


def _strangers(struct: str, value: Object) -> Object:
    return {key: part for key, part in value.items() if key not in table()[struct] and part is not None}


def _shared_memory(shared: Object) -> Json:
    """Give the size, 0 for none; None leaves it to the operator."""
    return "0" if shared.get("disabled") is True else shared.get("size")


def _mounts(service: Object) -> list[Object]:
    return [mapping(mount) for mount in sequence(service.get("volumeMounts"))]


def _compilation_cache(service: Object) -> Json:
    for mount in _mounts(service):
        if mount.get("useAsCompilationCache") is True:
            return present({"pvcName": mount.get("name"), "mountPath": mount.get("mountPoint")})
    return None


def _experimental(service: Object) -> Json:
    """Give the three features that v1alpha1 writes beside each other; one that is not enabled is absent."""
    found: Object = {}
    for field in ("gpuMemoryService", "failover"):
        feature = mapping(service.get(field))
        if feature.get("enabled") is True:
            found[field] = {**without(feature, ("enabled",)), **_mode(feature)}
    if isinstance(service.get("checkpoint"), dict):
        found["checkpoint"] = service["checkpoint"]
    return found or None


def _mode(feature: Object) -> Object:
    mode = feature.get("mode")
    return {"mode": ALPHA_MODES.get(mode, mode)} if isinstance(mode, str) else {}


def pod_template(service: Object) -> Object:
    """Build the pod template: main container first, then the others, then the frontend's sidecar.

    `extraPodSpec.mainContainer` wins over the dedicated fields, apart from env, which is merged by
    name, and volume mounts, which are added.
    """
    extra = mapping(service.get("extraPodSpec"))
    others = [one for one in sequence(extra.get("containers")) if mapping(one).get("name") != MAIN]
    containers: list[Json] = [main_container(service), *others, *_sidecar(service, others)]
    template: Object = {"spec": {**without(extra, ("mainContainer",)), "containers": containers}}
    metadata = service.get("extraPodMetadata")
    return {**template, "metadata": metadata} if metadata is not None else template


def main_container(service: Object) -> Object:
    """Give the container `main` out of the dedicated fields and `extraPodSpec.mainContainer`."""
    dedicated = _dedicated(service)
    written = mapping(mapping(service.get("extraPodSpec")).get("mainContainer"))
    merged = mapping(overlaid(dedicated, written))
    env = merged_env(sequence(dedicated.get("env")), sequence(written.get("env")))
    mounts = [*sequence(written.get("volumeMounts")), *sequence(dedicated.get("volumeMounts"))]
    lists: Object = {"env": env or None, "volumeMounts": mounts or None}
    return {**without(merged, tuple(lists)), **present(lists), "name": MAIN}


def _dedicated(service: Object) -> Object:
    probes = {field: service.get(field) for field in ("livenessProbe", "readinessProbe")}
    mounts: list[Json] = [
        {
            **without(mount, ("mountPoint", "useAsCompilationCache")),
            **present({"mountPath": mount.get("mountPoint")}),
        }
        for mount in _mounts(service)
    ]
    resources = service.get("resources")
    return present(
        {
            "env": service.get("envs"),
            "envFrom": _env_from(service),
            "resources": native(mapping(resources)) if resources is not None else None,
            "volumeMounts": mounts or None,
            **probes,
        }
    )


def _env_from(written: Object) -> Json:
    secret = text(written.get("envFromSecret"))
    return [{"secretRef": {"name": secret}}] if secret else None


def _sidecar(service: Object, others: Iterable[Json]) -> list[Json]:
    sidecar = service.get("frontendSidecar")
    if sidecar is None or any(mapping(one).get("name") == SIDECAR for one in others):
        return []
    written = mapping(sidecar)
    env = {"env": written.get("envs"), "envFrom": _env_from(written)}
    return [{"name": SIDECAR, **without(written, ("envs", "envFromSecret")), **present(env)}]


def native(resources: Object) -> Object:
    """Give resources as a container writes them: GPUs under the name of their type."""
    lists = {field: _amounts(mapping(resources.get(field))) for field in ("requests", "limits")}
    claims = resources.get("claims")
    return present({**{field: part or None for field, part in lists.items()}, "claims": claims})


def _amounts(item: Object) -> Object:
    known: Object = {field: item.get(field) for field in ("cpu", "memory")}
    known[text(item.get("gpuType")) or DEFAULT_GPU] = item.get("gpu")
    amounts = {**known, **mapping(item.get("custom"))}
    return {name: amount for name, amount in amounts.items() if amount not in (None, "")}


def merged_env(base: list[Json], over: list[Json]) -> list[Json]:
    """Give both lists as one: a name of `base` keeps its place and takes the entry of `over`."""
    merged = list(base)
    places = {_name(entry): place for place, entry in enumerate(base)}
    for entry in over:
        if _name(entry) in places:
            merged[places[_name(entry)]] = entry
        else:
            places[_name(entry)] = len(merged)
            merged.append(entry)
    return merged


def _name(entry: Json) -> str:
    return text(mapping(entry).get("name"))


def overlaid(base: Json, over: Json) -> Json:
    """Give `base` under `over`, mapping by mapping; what is empty in `over` hides nothing."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    laid = dict(base)
    for key, part in over.items():
        if key not in base:
            laid[key] = part
        elif part not in _EMPTY or (part == 0 and isinstance(base[key], str)):
            # Dedicated amounts are texts, so a number over a text is an amount, and 0 is one.
            laid[key] = overlaid(base[key], part)
    return laid
