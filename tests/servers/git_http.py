"""A real smart-HTTP git server: `git http-backend` behind HTTP Basic, with faults to switch on."""

import base64
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import Any


class Fault(Enum):
    """What the server does instead of answering."""

    UNAUTHORIZED = 401
    FORBIDDEN = 403
    NOT_FOUND = 404
    UNAVAILABLE = 503
    CUT = auto()
    """Sends half of the answer and hangs up."""
    HANG = auto()
    """Takes the request and never answers."""
    REDIRECT = auto()
    """Sends the client to `GitServer.elsewhere`."""


class GitServer(ThreadingHTTPServer):
    """Serves every bare repository below `root` to one user."""

    daemon_threads = True
    username = "bot"
    password = "s3cr3t-of-the-bot"
    fault: Fault | None = None
    pushes_only = False
    """The fault hits pushes and nothing else."""
    elsewhere = ""
    scheme = "http"

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.root = root
        self.stopped = threading.Event()
        self.hangs = threading.Event()
        """A request with the right password is hanging."""

    def url(self, name: str) -> str:
        """Give the URL of the repository `name`."""
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/{name}"

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


@contextmanager
def serve(root: Path, tls: ssl.SSLContext | None = None) -> Iterator[GitServer]:
    """Serve the repositories below `root` until the block ends."""
    with GitServer(root) as server:
        if tls:
            server.scheme = "https"
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stopped.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: GitServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing is logged."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self._body()
        pushing = "git-receive-pack" in self.path
        fault = self.server.fault if pushing or not self.server.pushes_only else None
        wanted = base64.b64encode(f"{self.server.username}:{self.server.password}".encode()).decode()
        if fault is Fault.REDIRECT:
            self._answer(302, {"Location": self.server.elsewhere + self.path})
        elif self.headers.get("Authorization") != f"Basic {wanted}" or fault is Fault.UNAUTHORIZED:
            self._answer(401, {"WWW-Authenticate": 'Basic realm="git"'})
        elif fault is Fault.HANG:
            self.server.hangs.set()
            self.server.stopped.wait()
            self.close_connection = True
        elif fault is None or fault is Fault.CUT:
            self._relay(body, cut=fault is Fault.CUT)
        else:
            self._answer(fault.value, {})

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _relay(self, body: bytes, cut: bool) -> None:
        path, _, query = self.path.partition("?")
        backend = subprocess.run(
            ["git", "http-backend"],
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_PROJECT_ROOT": str(self.server.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "REMOTE_USER": self.server.username,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            },
        )
        head, _, content = backend.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
        status = int(headers.pop("Status", "200").split()[0])
        self._answer(status, headers, content, len(content) // 2 if cut else None)

    def _answer(
        self, status: int, headers: dict[str, str], content: bytes = b"", stop_at: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(content))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[:stop_at])
        self.close_connection = stop_at is not None
