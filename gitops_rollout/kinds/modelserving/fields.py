"""Facts about ModelServing: its fields with their Go types, its CRD defaults, and who owns which field.

The lists of controls are closed: whatever else stands in a spec, known or not, is part of the revision
(Kthena #1799 builds its snapshot from an allow-list for the same reason).
"""

from functools import cache

from gitops_rollout.semantics.types import Table, TypeRef, with_core

GROUP = "workload.serving.volcano.sh"
API_VERSION = f"{GROUP}/v1alpha1"
KIND = "ModelServing"

ROLE: TypeRef = ["struct", "kthena.Role"]
PLUGIN: TypeRef = ["struct", "kthena.Plugin"]
METADATA: TypeRef = ["struct", "kthena.Metadata"]
POD_SPEC: TypeRef = ["struct", "core.PodSpec"]
OBJECT: TypeRef = ["struct", "kthena.ModelServing"]
UNKNOWN: TypeRef = ["struct", "kthena.Unknown"]
"""A struct without fields: everything in it is unknown, and so kept as it is."""

_TOPOLOGY: TypeRef = ["*", ["struct", "kthena.NetworkTopologySpec"]]
_AMOUNT: TypeRef = ["*", "ios"]
_ROLLING: Table = {"kthena.Rolling": {"maxUnavailable": _AMOUNT, "maxSurge": _AMOUNT, "partition": _AMOUNT}}

_STRUCTS: Table = {
    "kthena.Unknown": {},
    "kthena.ModelServing": {
        "apiVersion": "s",
        "kind": "s",
        "metadata": ["struct", "meta.ObjectMeta"],
        "spec": ["struct", "kthena.Spec"],
    },
    "kthena.Spec": {
        "replicas": ["*", "i32"],
        "schedulerName": "s",
        "plugins": ["[]", ["struct", "kthena.Plugin"]],
        "template": ["struct", "kthena.Group"],
        "rolloutStrategy": ["*", ["struct", "kthena.RolloutStrategy"]],
        "recoveryPolicy": "s",
        "revisionHistoryLimit": ["*", "i32"],
    },
    "kthena.Plugin": {
        "name": "s",
        "type": "s",
        "config": ["*", "raw"],
        "scope": ["*", ["struct", "kthena.PluginScope"]],
    },
    "kthena.PluginScope": {"roles": ["[]", "s"], "target": "s"},
    "kthena.Group": {
        "restartGracePeriodSeconds": ["*", "i64"],
        "gangPolicy": ["*", ["struct", "kthena.GangPolicy"]],
        "networkTopology": ["*", ["struct", "kthena.NetworkTopology"]],
        "roles": ["[]", ROLE],
    },
    "kthena.GangPolicy": {"minRoleReplicas": ["map", "i32"]},
    "kthena.NetworkTopology": {"groupPolicy": _TOPOLOGY, "rolePolicy": _TOPOLOGY},
    "kthena.NetworkTopologySpec": {"mode": "s", "highestTierAllowed": ["*", "i64"], "highestTierName": "s"},
    "kthena.RolloutStrategy": {
        "type": "s",
        "rollingUpdateConfiguration": ["*", ["struct", "kthena.Rolling"]],
    },
    **_ROLLING,
    "kthena.Role": {
        "name": "s",
        "replicas": ["*", "i32"],
        "entryTemplate": ["struct", "kthena.PodTemplate"],
        "workerReplicas": "i32",
        "workerTemplate": ["*", ["struct", "kthena.PodTemplate"]],
        **_ROLLING["kthena.Rolling"],
    },
    "kthena.PodTemplate": {"metadata": METADATA, "spec": POD_SPEC},
    "kthena.Metadata": {"labels": ["map", "s"], "annotations": ["map", "s"]},
}


@cache
def table() -> Table:
    """Give the types of ModelServing together with those of core/v1."""
    return with_core(_STRUCTS)


# What is published but not revisioned.
SPEC_CONTROLS = ("replicas", "rolloutStrategy", "recoveryPolicy", "revisionHistoryLimit")
TEMPLATE_CONTROLS = ("restartGracePeriodSeconds", "gangPolicy", "networkTopology")
ROLE_CONTROLS = ("replicas", "maxUnavailable", "maxSurge", "partition")

# What the CRD fills in where nothing is written (maxSurge: what Kthena takes absence for).
DEFAULT_SCHEDULER = "volcano"
DEFAULT_REPLICAS = 1
DEFAULT_MAX_UNAVAILABLE = 1
DEFAULT_STRATEGY = "ServingGroupRollingUpdate"
DEFAULT_RECOVERY = "RoleRecreate"
DEFAULT_HISTORY = 10
DEFAULT_GRACE = 0
DEFAULT_TOPOLOGY_MODE = "hard"
DEFAULT_PLUGIN_TYPE = "BuiltIn"
DEFAULT_TARGET = "All"

EMPTY_SCHEDULER = "default-scheduler"
"""What an explicit empty schedulerName means: it reaches the pod as it is (Kthena #1799)."""

BY_ROLE = "RoleRollingUpdate"

OWNED_ENV = ("GROUP_SIZE", "ENTRY_ADDRESS", "WORKER_INDEX")
"""Variables that Kthena sets itself; entries of these names are dropped from every container."""

TEMPLATES = ("entryTemplate", "workerTemplate")
