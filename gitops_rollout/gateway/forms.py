"""The texts and numbers that Gateway API objects share, with the patterns of the CRDs.

Source: the CRDs of Gateway API v1.6.1 (standard channel) and of InferencePool v1.6.0.
"""

import re

from gitops_rollout.gateway.structure import Choice, Fields, Form, Number, Table, Text

_DNS = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
# "IPs are not allowed" says the documentation of hostnames, but the pattern takes them.
_IP = re.compile(r"(\*\.)?[0-9]{1,3}(\.[0-9]{1,3}){3}")

_LABEL = Form(re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"), 'a name of a-z, 0-9 and inner "-"')
_SUBDOMAIN = Form(re.compile(f"^{_DNS}$"), 'a lower-case DNS name: a-z, 0-9, inner "-", parts joined by "."')
_GROUP = Form(re.compile(f"^$|^{_DNS}$"), 'an API group: a lower-case DNS name, or "" for the core group')
_KIND = Form(
    re.compile(r"^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$"), "a kind: letters and digits, a letter first"
)
_HOST = Form(
    re.compile(rf"^(\*\.)?{_DNS}$"),
    'a hostname: a lower-case DNS name, no IP address and no port; "*." may stand in front',
    never=_IP,
)
_PRECISE_HOST = Form(
    re.compile(f"^{_DNS}$"),
    "a hostname: a lower-case DNS name, no wildcard, no IP address and no port",
    never=_IP,
)
_TOKEN = Form(
    re.compile(r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$"), "a token of HTTP: letters, digits and !#$%&'*+-.^_`|~"
)
_LABEL_VALUE = Form(
    re.compile(r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"),
    'a label value: letters, digits, inside also "-", "_" and "."',
    code="LABEL",
)
# The CRDs cannot say it of keys; the API server says it of every object's labels, and pods carry the key.
LABEL_KEY = Form(
    re.compile(rf"(?=.{{1,253}}/|[^/]*$)({_DNS}/)?(?=.{{1,63}}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"),
    'a label key: at most 63 letters, digits, "-", "_" and ".", with or without a DNS name and "/" in front',
    code="LABEL",
)

NAME = Text(1, 253)
NAMESPACE = Text(1, 63, _LABEL)
SUBDOMAIN = Text(1, 253, _SUBDOMAIN)
GROUP = Text(0, 253, _GROUP)
KIND = Text(1, 63, _KIND)
HOST = Text(1, 253, _HOST)
PRECISE_HOST = Text(1, 253, _PRECISE_HOST)
TOKEN = Text(1, 256, _TOKEN)
PORT = Number(1, 65535)


LABEL_VALUE = Text(0, 63, _LABEL_VALUE)

METADATA = Fields(
    {"name": SUBDOMAIN, "namespace": NAMESPACE, "labels": Table(LABEL_KEY, LABEL_VALUE, nullable=True)},
    ("name",),
    closed=False,
)
"""What the API server asks of every object; the CRDs leave the rest of metadata to it."""


STATUS = Fields({}, closed=False)
"""Gateways write it; nobody reads it from what people write."""


def versions(*known: str) -> Choice:
    """Give the part for an apiVersion."""
    return Choice(known, code="KIND")


def kind(name: str) -> Choice:
    """Give the part for the kind of the object itself."""
    return Choice((name,), code="KIND")
