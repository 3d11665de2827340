"""Checks of one graph on its own: every problem in one pass, at the path where people wrote it.

Refusals
    TYPE               a value of the wrong type; quote it, or remove the quotes
    REQUIRED           something is missing: a name, a component, an image, one of two alternatives
    NAME               a name that Kubernetes does not take (code points of strange characters are shown)
    NAME_TOO_LONG      a generated name over 63 characters, or more than Grove takes of several nodes
    LABEL              a label that the API server refuses
    DUPLICATE_NAME     two components (in any case), containers, ports, volumes, groups with one name
    DUPLICATE_TYPE     a second endpoint picker
    RESERVED_KEY       a gitops-rollout.io/ label that would reach pods
    RANGE              a number or a length outside its limits; a partition above the replicas
    ENUM               a word that is not one of those allowed
    STRATEGY           a setting that does not go with another one, or with this kind of component
    UNKNOWN_COMPONENT  rollout, restart or a contract names a component that is not there
    OVERLAP            a component in two release groups
    PARTED             a release group parts prefill from decode without a contract
    IMAGE              an image name with a space or a character outside ASCII
    PORT               a port out of range, or a port name that is none
    KIND               an apiVersion that this program does not know

Warnings
    UNKNOWN_FIELD      kept, part of the revision; the API server may drop it
    DUPLICATE_ENV      one variable twice in a list
    ALIAS_CONFLICT     serviceAccount differs from serviceAccountName
    NO_EFFECT          nobody reads the value; a partition of a graph that moves as a whole
    NAME_SHORTENED     the operator shortens the graph's name for Grove
    GROVE_ONLY         refused where Grove does not run the graph
    RUNTIME_VERSION    newer operators refuse it
    RESTART_ON_CREATE  a new object may not ask for a restart
    NOT_PUBLISHED      metadata that is not carried into the output
"""

from gitops_rollout.api.values import Object, text
from gitops_rollout.kinds.dynamograph import (
    containers,
    features,
    graphwide,
    hints,
    identity,
    rollout,
    runtime,
    single,
)
from gitops_rollout.kinds.dynamograph.controls import controls_of
from gitops_rollout.kinds.dynamograph.fields import ALPHA, BETA, KIND, OBJECTS, table
from gitops_rollout.kinds.dynamograph.graph import Graph
from gitops_rollout.kinds.dynamograph.project import source_text
from gitops_rollout.kinds.protocol import Checked
from gitops_rollout.kinds.rules import Rules
from gitops_rollout.kinds.written import without
from gitops_rollout.semantics.canonical import canonical

RULES: Rules[Graph] = Rules(
    kind=KIND,
    noun="a graph",
    api_versions=(BETA, ALPHA),
    refusals=(
        identity.identity,
        identity.components,
        identity.budget,
        single.counts,
        single.picker,
        runtime.bare_picker,
        single.references,
        single.memory,
        features.gpu_memory,
        features.failover,
        features.checkpoint,
        graphwide.framework,
        graphwide.restart,
        graphwide.topology,
        graphwide.transfer,
        graphwide.annotations,
        graphwide.claims,
        rollout.components,
        rollout.groups,
        rollout.contracts,
        containers.containers,
        containers.volumes,
        containers.images,
        containers.ports,
        containers.labels,
        containers.amounts,
    ),
    warnings=(
        rollout.without_effect,
        identity.shortened,
        runtime.runtime_version,
        runtime.native_picker,
        hints.restart_on_create,
        hints.grove_only,
        hints.without_effect,
        containers.repeated_env,
        containers.aliases,
    ),
    source_text=source_text,
    controls_of=controls_of,
    excusable=(rollout.parted,),
)


def check(value: Object, default_namespace: str) -> Checked:
    """Check one document and split it into source text and controls; `value` is not mutated."""
    type_ = OBJECTS.get(text(value.get("apiVersion")), OBJECTS[BETA])
    typed = canonical(without(value, ("status",)), type_, table())
    return RULES.check(Graph(value), value, typed, default_namespace)
