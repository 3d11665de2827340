"""`routerPolicy` as people write it in a RevisionRollout."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from gitops_rollout.api.document import Written
from gitops_rollout.api.router_terms import ISOLATION, PATH, RouterMode, RouterTerms

Port = Annotated[int, Field(ge=1, le=65535)]
File = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]([-A-Za-z0-9._]*[A-Za-z0-9_])?$", max_length=253)]


class RouterAuthModel(Written):
    """How the service shows a router who it is: a bearer token, or a certificate with its key."""

    token_file: File | None = Field(
        None,
        description="Name of the file with a bearer token, in the service's folder of router credentials.",
    )
    certificate_file: File | None = Field(
        None, description="Name of the file with the client certificate (PEM), in the same folder."
    )
    key_file: File | None = Field(None, description="Name of the file with its private key (PEM).")


class RouterTlsModel(Written):
    """How a router shows the service who it is."""

    ca_file: File | None = Field(
        None,
        description="Name of the file with the authorities that are trusted (PEM); the system's by default.",
    )
    server_name: Annotated[str, Field(min_length=1, max_length=253)] | None = Field(
        None, description="The name in the router's certificate, for pods are called by their address."
    )


class RouterPolicyModel(Written):
    """How routers learn which workers they choose."""

    mode: Literal["Isolation", "ManagementAPI"] = Field(
        description="Isolation: a router finds the workers of its revision only. ManagementAPI: it is told."
    )
    port: Port | None = Field(None, description="The port of the management API in every router's pod.")
    path: Annotated[str, Field(pattern=r"^/[!-~]*$", max_length=1024)] | None = Field(
        None, description=f"The path of the API; {PATH} by default."
    )
    auth: RouterAuthModel | None = Field(
        None, description="What the service shows: {tokenFile}, or {certificateFile, keyFile}."
    )
    tls: RouterTlsModel | None = Field(
        None, description="The API speaks TLS: {caFile, serverName}. Without it, plain HTTP."
    )


def terms(model: RouterPolicyModel | None) -> RouterTerms | None:
    """Give the terms as written, None where there are none."""
    if model is None:
        return None
    if RouterMode(model.mode) is RouterMode.ISOLATION:
        return ISOLATION
    auth, tls = model.auth or RouterAuthModel(), model.tls or RouterTlsModel()
    return RouterTerms(
        RouterMode.MANAGEMENT_API,
        model.port or 0,
        model.path or PATH,
        auth.token_file or "",
        auth.certificate_file or "",
        auth.key_file or "",
        model.tls is not None,
        tls.ca_file or "",
        tls.server_name or "",
    )


def faults(model: RouterPolicyModel | None) -> Iterator[tuple[str, str]]:
    """Find what is wrong with it, as (path below `routerPolicy`, message)."""
    if model is None:
        return
    if RouterMode(model.mode) is RouterMode.ISOLATION:
        written = [name for name in ("port", "path", "auth", "tls") if getattr(model, name) is not None]
        yield from ((f".{name}", "it says nothing with mode: Isolation; remove it") for name in written)
        return
    auth = model.auth or RouterAuthModel()
    pair = (auth.certificate_file, auth.key_file)
    whole = pair == (None, None) if auth.token_file is not None else None not in pair
    rows = (
        (model.port is None, ".port", "write the port of the management API"),
        (not whole, ".auth", _AUTH),
        (pair != (None, None) and model.tls is None, ".tls", "a client certificate needs TLS; write tls: {}"),
    )
    yield from ((path, message) for holds, path, message in rows if holds)


_AUTH = "the API is never open: write {tokenFile}, or {certificateFile, keyFile}, and not both"
