"""Facts about DynamoGraphDeployment: its fields with their Go types in both versions, and who owns which.

The lists of controls are closed: whatever else stands in a spec, known or not, is part of the revision.
"""

from functools import cache

from gitops_rollout.semantics.types import Table, TypeRef, core_types, with_core

GROUP = "nvidia.com"
BETA = f"{GROUP}/v1beta1"
ALPHA = f"{GROUP}/v1alpha1"
KIND = "DynamoGraphDeployment"

COMPONENT: TypeRef = ["struct", "dynamo.Component"]
PROJECTED: TypeRef = ["struct", "dynamo.Projected"]
"""A component of either version in the form of v1beta1, with what only v1alpha1 can say."""
SERVICE: TypeRef = ["struct", "dynamo.Service"]
GRAPH: TypeRef = ["struct", "dynamo.Graph"]
UNKNOWN: TypeRef = ["struct", "dynamo.Unknown"]
"""A struct without fields: everything in it is unknown, and so kept as it is."""

OBJECTS: dict[str, TypeRef] = {BETA: ["struct", "dynamo.Beta"], ALPHA: ["struct", "dynamo.Alpha"]}

_TEXTS: TypeRef = ["map", "s"]
_ENV: TypeRef = ["[]", ["struct", "core.EnvVar"]]
_TEMPLATE: TypeRef = ["*", ["struct", "core.PodTemplateSpec"]]
_PROBE: TypeRef = ["*", ["struct", "core.Probe"]]
_WORDS: TypeRef = ["[]", "s"]


def _pointer(name: str) -> TypeRef:
    return ["*", ["struct", f"dynamo.{name}"]]


_OBJECT: dict[str, TypeRef] = {"apiVersion": "s", "kind": "s", "metadata": ["struct", "meta.ObjectMeta"]}

_GRAPH: dict[str, TypeRef] = {
    "annotations": _TEXTS,
    "labels": _TEXTS,
    "priorityClassName": "s",
    "backendFramework": "s",
    "providerOverride": _pointer("ProviderOverride"),
    "experimental": _pointer("GraphExperimental"),
}
"""Fields of a spec that both versions spell alike."""

_SHARED: dict[str, TypeRef] = {
    "runtimeVersionOverride": "s",
    "globalDynamoNamespace": "b",
    "replicas": ["*", "i32"],
    "minAvailable": ["*", "i32"],
    "multinode": _pointer("Multinode"),
    "modelRef": _pointer("ModelReference"),
    "eppConfig": _pointer("EPPConfig"),
    "topologyConstraint": _pointer("Topology"),
    "providerOverride": _pointer("ProviderOverride"),
}
"""Fields of a component that both versions spell alike."""

_SPECS: Table = {
    "dynamo.Unknown": {},
    "dynamo.Beta": {**_OBJECT, "spec": ["struct", "dynamo.BetaSpec"]},
    "dynamo.Alpha": {**_OBJECT, "spec": ["struct", "dynamo.AlphaSpec"]},
    "dynamo.Graph": {**_GRAPH, "env": _ENV, "topologyConstraint": _pointer("GraphTopology")},
    "dynamo.BetaSpec": {
        **_GRAPH,
        "env": _ENV,
        "components": ["[]", COMPONENT],
        "topologyConstraint": _pointer("GraphTopology"),
        "restart": _pointer("Restart"),
        "rollout": _pointer("Rollout"),
    },
    "dynamo.AlphaSpec": {
        **_GRAPH,
        "envs": _ENV,
        "services": ["map", SERVICE],
        "topologyConstraint": _pointer("AlphaGraphTopology"),
        "pvcs": ["[]", ["struct", "dynamo.PVC"]],
        "restart": _pointer("Restart"),
        "rollout": _pointer("Rollout"),
    },
    "dynamo.Restart": {"id": "s", "strategy": _pointer("RestartStrategy")},
    "dynamo.RestartStrategy": {"type": "s", "order": _WORDS},
    "dynamo.Rollout": {
        "components": ["[]", ["struct", "dynamo.RolloutComponent"]],
        "releaseGroups": ["[]", ["struct", "dynamo.ReleaseGroup"]],
        "compatibility": ["[]", ["struct", "dynamo.Contract"]],
    },
    # partition: a whole number; text is refused by a rule of its own, which can say why.
    "dynamo.RolloutComponent": {"name": "s", "paused": "b", "partition": ["*", "ios"]},
    "dynamo.ReleaseGroup": {"name": "s", "components": _WORDS, "revisionAffinity": "s"},
    "dynamo.Contract": {"edge": _WORDS, "contract": "s"},
    "dynamo.GraphTopology": {"clusterTopologyName": "s", "packDomain": "s"},
    "dynamo.AlphaGraphTopology": {"topologyProfile": "s", "packDomain": "s"},
    "dynamo.GraphExperimental": {"kvTransferPolicy": _pointer("KvTransferPolicy")},
    "dynamo.KvTransferPolicy": {
        "labelKey": "s",
        "clusterTopologyName": "s",
        "domain": "s",
        "enforcement": "s",
        "preferredWeight": ["*", "raw"],
    },
    "dynamo.ProviderOverride": {"apiVersion": "s", "target": "s", "value": "raw"},
    "dynamo.PVC": {
        "name": ["*", "s"],
        "create": ["*", "b"],
        "size": "q",
        "storageClass": "s",
        "volumeAccessMode": "s",
    },
}

_COMPONENTS: Table = {
    "dynamo.Component": {
        **_SHARED,
        "name": "s",
        "type": "s",
        "podTemplate": _TEMPLATE,
        "sharedMemorySize": ["*", "q"],
        "scalingAdapter": _pointer("Unknown"),
        "frontendSidecar": ["*", "s"],
        "compilationCache": _pointer("CompilationCache"),
        "experimental": _pointer("Experimental"),
    },
    "dynamo.Multinode": {"nodeCount": "i32", "leader": _pointer("Role"), "worker": _pointer("Role")},
    "dynamo.Role": {"providerOverride": _pointer("ProviderOverride")},
    "dynamo.ModelReference": {"name": "s", "revision": "s"},
    "dynamo.EPPConfig": {"configMapRef": ["*", ["struct", "core.ConfigMapKeySelector"]], "config": "raw"},
    "dynamo.CompilationCache": {"pvcName": "s", "mountPath": "s"},
    "dynamo.Topology": {"packDomain": "s"},
    "dynamo.Experimental": {
        "gpuMemoryService": _pointer("GPUMemoryService"),
        "failover": _pointer("Failover"),
        "checkpoint": _pointer("Checkpoint"),
        "grove": _pointer("Grove"),
    },
    "dynamo.Grove": {"forceScalingGroup": "b"},
    "dynamo.GPUMemoryService": {
        "enabled": "b",
        "mode": "s",
        "deviceClassName": "s",
        "extraClientContainers": _WORDS,
        "extraClientPods": ["[]", ["struct", "dynamo.ClientPod"]],
    },
    "dynamo.ClientPod": {"name": "s", "podTemplate": ["struct", "core.PodTemplateSpec"]},
    "dynamo.Failover": {"enabled": "b", "mode": "s", "numShadows": "i32"},
    "dynamo.Checkpoint": {
        "enabled": "b",
        "mode": "s",
        "checkpointRef": ["*", "s"],
        "identity": _pointer("CheckpointIdentity"),
        "startupPolicy": "s",
        "deletionPolicy": "s",
        "targetContainerName": "s",
        "job": _pointer("CheckpointJob"),
    },
    "dynamo.CheckpointJob": {"gmsClientContainers": _WORDS, "podTemplate": _TEMPLATE},
    "dynamo.CheckpointIdentity": {
        "model": "s",
        "backendFramework": "s",
        "dynamoVersion": "s",
        "tensorParallelSize": "i32",
        "pipelineParallelSize": "i32",
        "dtype": "s",
        "maxModelLen": "i32",
        "extraParameters": _TEXTS,
    },
}

_ALPHA_ONLY: dict[str, TypeRef] = {"subComponentType": "s", "annotations": _TEXTS, "labels": _TEXTS}

_SERVICES: Table = {
    "dynamo.Service": {
        **_SHARED,
        "serviceName": "s",
        "componentType": "s",
        "subComponentType": "s",
        "dynamoNamespace": ["*", "s"],
        "annotations": _TEXTS,
        "labels": _TEXTS,
        "resources": _pointer("Resources"),
        "autoscaling": ["*", "raw"],
        "envs": _ENV,
        "envFromSecret": ["*", "s"],
        "volumeMounts": ["[]", ["struct", "dynamo.VolumeMount"]],
        "ingress": _pointer("Ingress"),
        "sharedMemory": _pointer("SharedMemory"),
        "extraPodMetadata": _pointer("PodMetadata"),
        "extraPodSpec": _pointer("ExtraPodSpec"),
        "livenessProbe": _PROBE,
        "readinessProbe": _PROBE,
        "scalingAdapter": _pointer("ScalingAdapter"),
        "frontendSidecar": _pointer("FrontendSidecar"),
        "gpuMemoryService": _pointer("GPUMemoryService"),
        "failover": _pointer("Failover"),
        "checkpoint": _pointer("Checkpoint"),
    },
    "dynamo.Resources": {
        "requests": _pointer("ResourceItem"),
        "limits": _pointer("ResourceItem"),
        "claims": ["[]", ["struct", "core.ResourceClaim"]],
    },
    # Texts in Go: a number without quotes is refused.
    "dynamo.ResourceItem": {"cpu": "s", "memory": "s", "gpu": "s", "gpuType": "s", "custom": _TEXTS},
    "dynamo.VolumeMount": {"name": "s", "mountPoint": "s", "useAsCompilationCache": "b"},
    "dynamo.Ingress": {
        "enabled": "b",
        "host": "s",
        "useVirtualService": "b",
        "virtualServiceGateway": ["*", "s"],
        "hostPrefix": ["*", "s"],
        "hostSuffix": ["*", "s"],
        "annotations": _TEXTS,
        "labels": _TEXTS,
        "tls": _pointer("IngressTLS"),
        "ingressControllerClassName": ["*", "s"],
    },
    "dynamo.IngressTLS": {"secretName": "s"},
    "dynamo.SharedMemory": {"disabled": "b", "size": "q"},
    "dynamo.PodMetadata": {"annotations": _TEXTS, "labels": _TEXTS},
    "dynamo.ScalingAdapter": {"enabled": "b"},
    "dynamo.FrontendSidecar": {"image": "s", "args": _WORDS, "envFromSecret": ["*", "s"], "envs": _ENV},
}


@cache
def table() -> Table:
    """Give the types of both versions together with those of core/v1."""
    extra = {**core_types()["core.PodSpec"], "mainContainer": ["*", ["struct", "core.Container"]]}
    projected = {**_COMPONENTS["dynamo.Component"], **_ALPHA_ONLY}
    own: Table = {**_SPECS, **_COMPONENTS, **_SERVICES}
    return with_core({**own, "dynamo.ExtraPodSpec": extra, "dynamo.Projected": projected})
