"""Words and numbers that the Dynamo operator gives a meaning to."""

MAIN = "main"
"""The container of a component that the operator's own settings go into."""

SIDECAR = "sidecar-frontend"
"""What the conversion calls the container that v1alpha1 writes as `frontendSidecar`."""

TYPES = ("frontend", "worker", "prefill", "decode", "planner", "epp")
WORKERS = ("worker", "prefill", "decode")
"""What the worker hash covers: one hash for all of them."""

FRAMEWORKS = ("sglang", "vllm", "trtllm")
INTRA_POD, INTER_POD = "IntraPod", "InterPod"
ALPHA_MODES = {"intraPod": INTRA_POD, "interPod": INTER_POD}

# What is published but not revisioned.
SPEC_CONTROLS = ("restart", "rollout")
COMPONENT_CONTROLS = ("replicas", "minAvailable", "scalingAdapter")

# What v1alpha1 still takes and the operator ignores.
IGNORED = ("serviceName", "dynamoNamespace", "autoscaling")

# What the CRD or the operator fills in where nothing is written.
DEFAULT_REPLICAS = 1
DEFAULT_NODES = 2
DEFAULT_SHARED_MEMORY = "8Gi"
DEFAULT_GPU = "nvidia.com/gpu"
DEFAULT_RESTART = "Sequential"
DEFAULT_ENFORCEMENT = "required"
DEFAULT_DEVICE_CLASS = "gpu.nvidia.com"


# Annotations. The operator copies these from the object to what it makes of each component.
EXECUTOR_BACKEND = "nvidia.com/vllm-distributed-executor-backend"
DISCOVERY_MODE = "nvidia.com/dynamo-kube-discovery-mode"
BEHAVIOUR = (
    "nvidia.com/enable-metrics",
    "nvidia.com/dynamo-discovery-backend",
    DISCOVERY_MODE,
    EXECUTOR_BACKEND,
)
"""Annotations of the object that shape pods, and so are part of the revision."""

WORKLOAD_PROVIDER = "nvidia.com/workload-provider"
ENABLE_GROVE = "nvidia.com/enable-grove"
GROVE_STRATEGY = "nvidia.com/grove-update-strategy"
DEPLOYMENT_STRATEGY = "nvidia.com/deployment-strategy"
POWER_LIMIT = "dynamo.nvidia.com/gpu-power-limit"

OPERATORS_OWN = (
    "nvidia.com/current-worker-hash",
    "nvidia.com/dynamo-operator-origin-version",
    "nvidia.com/dgd-",
    "nvidia.com/restartAt",
)
"""Annotations that start so are the operator's own bookkeeping; the conversion keeps its notes there."""

COMBINED_LENGTH = 45
"""What Grove takes of graph name, component and the longest clique of a component together."""

SHORTEST_GRAPH = 8
"""To how much the operator shortens a graph's name, at the least, so that Grove takes the rest."""

LEADER_SUFFIX = "-ldr"
HASH_SUFFIX = "-01234567"
"""Stands for the worker hash at the end of a worker's name."""

REVISION_PREFIX = "r0123456789-"
"""Stands for the revision at the start of a graph's name that is of one revision (NewGraph)."""
