"""Checks of one ModelServing on its own: every problem in one pass.

Refusals
    TYPE             a value of the wrong type; quote it, or remove the quotes
    REQUIRED         something is missing: name, roles, workerReplicas, a template, a container
    NAME             no DNS label (code points of strange characters are shown)
    NAME_TOO_LONG    a role name over 12, or a generated pod name over 63 characters
    LABEL            a label that the API server refuses
    DUPLICATE_NAME   two roles, containers, ports of a container, or volumes with one name
    RESERVED_KEY     a gitops-rollout.io/ label in a pod template
    RANGE            a number or a length outside its limits
    ENUM             a word that is not one of those allowed
    INT_OR_PERCENT   neither a whole number from 0 nor a percentage from 0% to 100%
    STRATEGY         a setting that the chosen rollout strategy has no place for
    UNKNOWN_ROLE     a plugin or the gang policy names a role that is not there
    IMAGE            an image name with a space or a character outside ASCII
    PORT             a port out of range, or a port name that is none
    KIND             an apiVersion that this program does not know

Warnings
    UNKNOWN_FIELD        kept, part of the revision; the API server may drop it
    DUPLICATE_ENV        one variable twice in a container
    ALIAS_CONFLICT       serviceAccount differs from serviceAccountName
    NO_EFFECT            Kthena overwrites the value
    PAUSED_BY_PARTITION  the written partition leaves nothing that may move
    NOT_PUBLISHED        metadata that is not carried into the output
"""

from gitops_rollout.api.values import Object
from gitops_rollout.kinds.modelserving import names, pods, strategy
from gitops_rollout.kinds.modelserving.controls import controls_of
from gitops_rollout.kinds.modelserving.fields import API_VERSION, KIND, OBJECT, table
from gitops_rollout.kinds.modelserving.manifest import Manifest
from gitops_rollout.kinds.modelserving.project import source_text
from gitops_rollout.kinds.protocol import Checked
from gitops_rollout.kinds.rules import Rules
from gitops_rollout.kinds.written import without
from gitops_rollout.semantics.canonical import canonical

RULES: Rules[Manifest] = Rules(
    kind=KIND,
    noun="a ModelServing",
    api_versions=(API_VERSION,),
    refusals=(
        names.identity,
        names.roles,
        names.budget,
        strategy.words,
        strategy.role_counts,
        strategy.amounts,
        strategy.fitting,
        strategy.gang,
        strategy.plugins,
        pods.containers,
        pods.volumes,
        pods.images,
        pods.ports,
        pods.labels,
    ),
    warnings=(
        strategy.paused,
        pods.repeated_env,
        pods.without_effect,
        pods.aliases,
    ),
    source_text=source_text,
    controls_of=controls_of,
)


def check(value: Object, default_namespace: str) -> Checked:
    """Check one document and split it into source text and controls; `value` is not mutated."""
    typed = canonical(without(value, ("status",)), OBJECT, table())
    return RULES.check(Manifest(value), value, typed, default_namespace)
