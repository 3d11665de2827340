"""Names of places in settings: URLs, branches, folders. Each is refused with a ValueError for people.

What comes out is safe as an argument of git and as a path: it never looks like an option, holds no
control character and leaves nothing. No message ever repeats a URL, which may hold credentials.
"""

import re

_CONTROL = re.compile(r"[\x00-\x20\x7f]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.ASCII | re.IGNORECASE)
_SCP = re.compile(r"(?:([^@:/\s]+)@)?([^:/\s]+):(?!/)(.+)")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_NOT_IN_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|[./]$|^[-/.]")
_SECRET_IN_SCP = re.compile(r"[^/@]*:[^/@]*@")
_CREDENTIALS = "credentials do not stand in a URL; write them under credentials"
PROTOCOLS = ("file", "http", "https", "ssh")


def url(value: str) -> str:
    """Accept a local path, file://, http(s)://, ssh:// or scp form, without credentials."""
    match = _SCHEME.match(value)
    if not value or value.startswith("-") or _CONTROL.search(value) or "::" in value.partition("/")[0]:
        raise ValueError("this is no URL of a repository")
    if match is None and _SECRET_IN_SCP.match(value):
        raise ValueError(_CREDENTIALS)
    if match is None:
        return value
    scheme, rest = match[1].lower(), match[2]
    if scheme not in PROTOCOLS:
        raise ValueError(f"protocol {scheme[:20]}:// is not one of {', '.join(PROTOCOLS)}")
    user, at, host = rest.partition("/")[0].rpartition("@")
    if at and (scheme != "ssh" or ":" in user):
        raise ValueError(_CREDENTIALS)
    if scheme != "file" and (not host or host.startswith(("-", ":")) or user.startswith("-")):
        raise ValueError("this URL has no host")
    return value


def branch(value: str) -> str:
    """Accept a branch name as git does, short form only."""
    if not value or _NOT_IN_BRANCH.search(value) or value in ("@", "HEAD") or value.startswith("refs/"):
        raise ValueError("this is no branch name; write it short, such as main")
    return value


def folder(value: str) -> str:
    """Normalise a folder of a repository: `./specs/` is `specs`, `.` is "" (all of it)."""
    parts = [part for part in value.split("/") if part not in ("", ".")]
    control = any(ord(letter) < 0x20 or ord(letter) == 0x7F for letter in value)
    if value.startswith("/") or "\\" in value or control or {"..", ".git"} & set(parts):
        raise ValueError("write a folder of the repository, relative and without ..")
    return "/".join(parts)


def name(value: str) -> str:
    """Accept a DNS label."""
    if not _DNS_LABEL.fullmatch(value):
        raise ValueError("at most 63 of a-z, 0-9 and inner dashes")
    return value


def overlapping(one: str, other: str) -> bool:
    """Say whether one of two folders is, or holds, the other."""
    shorter, longer = sorted((one, other), key=len)
    return not shorter or f"{longer}/".startswith(f"{shorter}/")


def same_repository(one: str, other: str) -> bool:
    """Say whether two URLs surely name one repository, however they are spelled."""
    return _place(one) == _place(other)


def _place(value: str) -> tuple[str, str]:
    match = _SCHEME.match(value)
    if match is None and not value.startswith(("/", ".")) and (scp := _SCP.fullmatch(value)):
        return scp[2].lower(), _path(scp[3])
    if match is None or match[1].lower() == "file":
        return "", "/" * value.startswith(("/", "file:///")) + _path(match[2] if match else value)
    authority, _, path = match[2].partition("/")
    host = authority.rpartition("@")[2].lower()
    default = {"http": ":80", "https": ":443", "ssh": ":22"}[match[1].lower()]
    return host.removesuffix(default), _path(path)


def _path(value: str) -> str:
    parts = [part for part in value.split("/") if part not in ("", ".")]
    return "/".join(parts).removesuffix(".git").removesuffix("/")
