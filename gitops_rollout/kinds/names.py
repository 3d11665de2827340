"""What Kubernetes takes as a name or a label, and what to say where it does not."""

import re

from gitops_rollout.api.values import Json
from gitops_rollout.kinds.written import foreign

LABEL_LENGTH = 63

_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_DNS_1123 = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", re.ASCII)
_LABEL_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)


def bad_dns_1035(name: str) -> str:
    """Say why `name` is no DNS-1035 label; length apart, nothing when it is one."""
    if _DNS_1035.fullmatch(name):
        return ""
    rule = 'use lower-case letters, digits and "-", with a letter first'
    strange = foreign(name)
    return f'"{name}" is no DNS-1035 label: {strange + "; " if strange else ""}{rule}'


def bad_dns_1123(name: str) -> str:
    """Say why `name` is no DNS-1123 label of at most 63 characters; nothing when it is one."""
    if _DNS_1123.fullmatch(name) and len(name) <= LABEL_LENGTH:
        return ""
    strange = foreign(name)
    rule = f'use at most {LABEL_LENGTH} lower-case letters, digits and "-"'
    return f'"{name}" is no DNS-1123 label: {strange + "; " if strange else ""}{rule}'


def bad_label(key: str, value: Json) -> str:
    """Say why the API server refuses a label; nothing when it takes it."""
    prefix, slash, name = key.rpartition("/")
    if not _LABEL_NAME.fullmatch(name) or len(name) > LABEL_LENGTH:
        return f'label key "{key}": the name part takes 1 to {LABEL_LENGTH} of letters, digits, "-", "_", "."'
    if slash and not (_SUBDOMAIN.fullmatch(prefix) and len(prefix) <= 253):
        return f'label key "{key}": the part before "/" must be a lower-case DNS name'
    if isinstance(value, str) and not (_LABEL_VALUE.fullmatch(value) and len(value) <= LABEL_LENGTH):
        return f'label value "{value}": at most {LABEL_LENGTH} letters, digits, inside also "-", "_", "."'
    return ""
