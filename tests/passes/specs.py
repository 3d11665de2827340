"""What a team commits, in few words."""


def serving(
    name: str = "chat", image: str = "engine:1", *, replicas: int = 4, policy: str = "", extra: str = ""
) -> str:
    """Write a small ModelServing in namespace serving; `extra` are lines of its spec."""
    marks = f"  annotations: {{gitops-rollout.io/policy: {policy}}}\n" if policy else ""
    return f"""\
apiVersion: workload.serving.volcano.sh/v1alpha1
kind: ModelServing
metadata:
  name: {name}
  namespace: serving
{marks}spec:
  replicas: {replicas}
{extra}  template:
    roles:
    - name: decode
      replicas: 1
      workerReplicas: 0
      entryTemplate:
        spec:
          containers:
          - name: main
            image: {image}
"""


def config(
    name: str = "notes", value: str = "one", namespace: str = "serving", kind: str = "ConfigMap"
) -> str:
    """Write another object, in a spelling that nobody would generate."""
    return f"""\
apiVersion: v1
kind:   {kind}   # by hand
metadata: {{name: {name}, namespace: {namespace}}}
data: {{a: '{value}'}}
"""


def policy(name: str = "steps", spec: str = "{steps: [1, 50%, 100%]}") -> str:
    """Write a RolloutPolicy."""
    return f"""\
apiVersion: gitops-rollout.io/v1alpha1
kind: RolloutPolicy
metadata: {{name: {name}}}
spec: {spec}
"""


def routed(name: str = "chat", route: str = "") -> str:
    """Write a RevisionRollout with a route of its own, or with the place of the source's `route`."""
    terms = f"route: {route}" if route else ""
    parents = "" if route else "    parentRefs: [{name: edge}]\n    hostnames: [chat.example.com]\n"
    return f"""\
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {{name: {name}, namespace: serving}}
spec:
  workload: ModelServing/{name}
  steps:
  - {{name: canary, replicas: 1, traffic: {{header: true}}}}
  - {{name: half, replicas: 50%, traffic: {{header: true, weight: 50}}}}
  - {{name: all, replicas: 100%, traffic: {{weight: 100}}}}
  {terms}
  gateway:
{parents}    targetPort: 8000
    implementation: istio
  adopt: {{revisionLabel: {{key: modelserving.volcano.sh/revision, value: 7d9f55c4}}}}
"""
