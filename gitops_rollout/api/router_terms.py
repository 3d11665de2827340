"""How the routers of a graph learn which workers they choose: by where they stand, or by their management API
(proposal, "Router management API"; DESIGN 7).
"""

from dataclasses import dataclass
from enum import StrEnum

from gitops_rollout.api.values import Json, Object, mapping, text

PATH = "/v1/control/revision-routing-policy"


class RouterMode(StrEnum):
    """Isolation: a router finds the workers of its own revision only. ManagementAPI: it is told."""

    ISOLATION = "Isolation"
    MANAGEMENT_API = "ManagementAPI"


@dataclass(frozen=True, slots=True)
class RouterTerms:
    """Where each router takes its policy, and how both sides know each other.

    `token`, `certificate`, `key` and `authority` name files in the service's folder of router credentials: no
    secret ever stands in a policy, and no policy reaches any other file. `secure`: the API speaks TLS.
    """

    mode: RouterMode = RouterMode.ISOLATION
    port: int = 0
    path: str = PATH
    token: str = ""
    certificate: str = ""
    key: str = ""
    secure: bool = False
    authority: str = ""
    server_name: str = ""

    @property
    def managed(self) -> bool:
        """Say whether routers are told."""
        return self.mode is RouterMode.MANAGEMENT_API

    def to_json(self) -> Object:
        """Give the form that stands in the rollout file; `from_json` reads it back."""
        if not self.managed:
            return {"mode": self.mode.value}
        auth = {"tokenFile": self.token, "certificateFile": self.certificate, "keyFile": self.key}
        tls: Object = {"caFile": self.authority, "serverName": self.server_name}
        return {
            "mode": self.mode.value,
            "port": self.port,
            "path": self.path,
            "auth": {name: value for name, value in auth.items() if value},
            **({"tls": {name: value for name, value in tls.items() if value}} if self.secure else {}),
        }

    @classmethod
    def from_json(cls, value: Json) -> "RouterTerms":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        mode = RouterMode(text(fields.get("mode")))
        if mode is RouterMode.ISOLATION:
            return ISOLATION
        port, auth, tls = fields.get("port"), mapping(fields.get("auth")), mapping(fields.get("tls"))
        if isinstance(port, bool) or not isinstance(port, int):
            raise ValueError("a recorded routerPolicy has the port of the management API")
        return cls(
            mode,
            port,
            text(fields.get("path")),
            text(auth.get("tokenFile")),
            text(auth.get("certificateFile")),
            text(auth.get("keyFile")),
            "tls" in fields,
            text(tls.get("caFile")),
            text(tls.get("serverName")),
        )

    def __str__(self) -> str:
        return f"{self.mode} at port {self.port}, {self.path}" if self.managed else self.mode.value


ISOLATION = RouterTerms()
