"""What the requests to one revision are sent to: an InferencePool or a Service of its own.

A new revision gets a new pool; what a pool selects never changes (GAIE has no such rule, so we do), and
the pools of two revisions never select one pod.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from gitops_rollout.api.gateway import Backend, Gateway, Picker
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.workload import WHOLE, WorkloadKey
from gitops_rollout.kinds.protocol import Endpoint, Kind
from gitops_rollout.revision.record import OURS, Revision
from gitops_rollout.semantics.canonical import canonical_bytes

INFERENCE_GROUP = "inference.networking.k8s.io"
LONGEST = 50
"""Some gateways derive a Service's name from a pool's, which takes 63 characters."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The pods of one revision that answer requests, under the name that routes know them by."""

    name: str
    revision: str
    selector: Mapping[str, str]
    port: int
    backend: Backend
    picker: Picker | None = None

    @property
    def ours(self) -> bool:
        """Say whether we publish it; what a controller makes itself is only referred to, and selects nothing
        that we know.
        """
        return bool(self.selector)

    @property
    def reference(self) -> Object:
        """Give what a backendRef says of it, without a weight; a pool's port is the pool's own."""
        if self.backend is Backend.POOL:
            return {"group": INFERENCE_GROUP, "kind": "InferencePool", "name": self.name}
        return {"group": "", "kind": "Service", "name": self.name, "port": self.port}

    @property
    def item(self) -> str:
        """Name it as the inventory does: kind/name."""
        return f"{self.backend.value}/{self.name}"

    @property
    def filename(self) -> str:
        """Give its file's name below traffic/."""
        what = "pool" if self.backend is Backend.POOL else "service"
        _, _, other = self.name.rpartition(self.revision)
        return f"{what}-{self.revision}{other}.yaml"

    def same(self, other: "Pool") -> bool:
        """Say whether both are the same, whatever they are called."""
        return replace(self, name="") == replace(other, name="")


class NoPool(Exception):
    """No pool can be made for this revision; the message says why and what to do."""


def pool_of(kind: Kind, key: WorkloadKey, revision: Revision, gateway: Gateway, name: str = "") -> Pool:
    """Give the pool of a revision, whose object has `name` (by default the workload's); raises NoPool."""
    component = gateway.component
    endpoint = kind.endpoint(revision.text, name or key.name, component)
    if endpoint is None:
        raise NoPool(f"revision {revision.id} has no {component} that could answer requests")
    if endpoint.pool:
        return _made_by_controller(revision, gateway, endpoint)
    written = endpoint.written
    hidden = [label for label, value in endpoint.labels.items() if written.get(label, value) != value]
    if hidden:
        raise NoPool(f"the template of {component} in {revision.id} overwrites {hidden[0]}: it has no pods")
    port = gateway.port or _port(revision, component, endpoint)
    selector = {**endpoint.labels, **_label(revision, gateway, endpoint)}
    picker = gateway.picker
    if picker is not None:
        picker = Picker(picker.name.replace("{revision}", revision.id), picker.port)
    picker = picker if gateway.backend is Backend.POOL else None
    return Pool(_name(key, revision.id), revision.id, selector, port, gateway.backend, picker)


def _made_by_controller(revision: Revision, gateway: Gateway, endpoint: Endpoint) -> Pool:
    if gateway.backend is not Backend.POOL:
        raise NoPool(
            f"{gateway.component} picks endpoints, and {endpoint.pool} is made by its operator: write "
            "backend: InferencePool"
        )
    return Pool(endpoint.pool, revision.id, {}, gateway.port or next(iter(endpoint.ports)), gateway.backend)


def _label(revision: Revision, gateway: Gateway, endpoint: Endpoint) -> Mapping[str, str]:
    """Give the label that tells this revision's pods: ours, or for what ran before the one to adopt by."""
    if endpoint.apart:
        return {}
    labels = revision.injection.labels
    ours = {**labels.get(WHOLE, {}), **labels.get(gateway.component, {})}
    if ours:
        return ours
    if gateway.adopt is None:
        raise NoPool(
            f"the pods of {revision.id} ran before and carry no label of their revision: name one under "
            "adopt.revisionLabel, or do one rollout without route and gateway first"
        )
    key, value = gateway.adopt
    if unfit := endpoint.unfit(key):
        raise NoPool(f"adopt.revisionLabel: {unfit}")
    if key not in endpoint.telling and endpoint.written.get(key) != value:
        raise NoPool(f"adopt.revisionLabel: no pod of {gateway.component} in {revision.id} has {key}={value}")
    return {key: value}


def _port(revision: Revision, component: str, endpoint: Endpoint) -> int:
    own = [port for port, main in endpoint.ports.items() if main]
    if len(own) == 1:
        return own[0]
    found = ", ".join(map(str, own)) or "none"
    raise NoPool(f"write gateway.targetPort: {component} of {revision.id} declares {found}")


def _name(key: WorkloadKey, revision: str) -> str:
    room = LONGEST - len(revision) - 1
    if len(key.name) <= room:
        return f"{key.name}-{revision}"
    short = hashlib.sha256(str(key).encode()).hexdigest()[:6]
    return f"{key.name[: room - 7]}-{short}-{revision}"


def under_free_name(pool: Pool, taken: Collection[Pool]) -> Pool:
    """Give the pool under a name that no other content has: what a name selects never changes."""
    same = next((one for one in taken if one.same(pool)), None)
    if same is not None:
        return same
    if all(one.name != pool.name for one in taken):
        return pool
    content: Json = [dict(pool.selector), pool.port, pool.backend.value, str(pool.picker)]
    suffix = f"-{hashlib.sha256(canonical_bytes(content)).hexdigest()[:6]}"
    stem, _, _ = pool.name.rpartition(f"-{pool.revision}")
    room = LONGEST - len(pool.revision) - 1 - len(suffix)
    return replace(pool, name=f"{stem[:room].rstrip('-')}-{pool.revision}{suffix}")


def overlap(one: Pool, other: Pool, other_endpoint: Endpoint | None) -> bool:
    """Say whether a pod may be selected by both; `other_endpoint` are the pods of `other`."""
    if not (one.ours and other.ours):
        return one.name == other.name
    apart = [key for key, value in one.selector.items() if other.selector.get(key, value) != value]
    if apart or other_endpoint is None:
        return not apart
    only = {key: value for key, value in one.selector.items() if key not in other.selector}
    # A label that only one selector names tells the pods apart where the others have another value; what
    # the controller gives each revision is another value by itself.
    return all(
        other_endpoint.written.get(key) == value and key not in other_endpoint.telling
        for key, value in only.items()
    )


def owner_labels(key: WorkloadKey) -> Object:
    """Give the labels by which an object is known as ours, and whose it is."""
    return {
        "app.kubernetes.io/managed-by": "gitops-rollout",
        f"{OURS}/kind": key.kind,
        f"{OURS}/workload": key.name,
    }


def pool_object(key: WorkloadKey, pool: Pool) -> Object:
    """Give the object to publish, every default written out."""
    labels: Object = {**owner_labels(key), f"{OURS}/revision": pool.revision}
    metadata: Object = {"name": pool.name, "namespace": key.namespace, "labels": labels}
    if pool.backend is Backend.SERVICE:
        return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": _service(pool)}
    spec: Object = {
        "selector": {"matchLabels": dict(pool.selector)},
        "targetPorts": [{"number": pool.port}],
        "appProtocol": "http",
    }
    if pool.picker is not None:
        spec["endpointPickerRef"] = {
            "group": "",
            "kind": "Service",
            "name": pool.picker.name,
            "port": {"number": pool.picker.port},
            "failureMode": "FailClose",
        }
    api_version = f"{INFERENCE_GROUP}/v1"
    return {"apiVersion": api_version, "kind": "InferencePool", "metadata": metadata, "spec": spec}


def _service(pool: Pool) -> Object:
    return {
        "type": "ClusterIP",
        "selector": dict(pool.selector),
        "ports": [{"name": "http", "port": pool.port, "protocol": "TCP", "targetPort": pool.port}],
        "sessionAffinity": "None",
        "internalTrafficPolicy": "Cluster",
    }
