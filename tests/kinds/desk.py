"""What a kind says of a document, in the words of the tests."""

from copy import deepcopy
from dataclasses import dataclass

from gitops_rollout.api.values import Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.protocol import Checked, Kind


@dataclass(frozen=True)
class Desk:
    """Checks documents of one kind."""

    kind: Kind

    def checked(self, value: Object) -> Checked:
        """Check a document, and see that the check leaves it alone."""
        before = deepcopy(value)
        result = self.kind.check(value, "default")
        assert value == before
        return result

    def accepted(self, value: Object) -> Spec:
        result = self.checked(value)
        assert result.spec is not None, [str(problem) for problem in result.problems]
        return result.spec

    def refused(self, value: Object) -> list[tuple[str, str]]:
        """Give path and code of every refusal."""
        result = self.checked(value)
        assert result.spec is None
        return [(problem.path, problem.code) for problem in result.problems]

    def warned(self, value: Object) -> list[tuple[str, str]]:
        """Give path and code of every warning about an accepted document."""
        return [(warning.path, warning.code) for warning in self.accepted(value).warnings]

    def update(self, old: Object, new: Object) -> Impact:
        return self.kind.impact(self.accepted(old), self.accepted(new))
