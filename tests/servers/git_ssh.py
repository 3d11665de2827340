"""A real SSH server that runs git and nothing else, with real keys; sshd is not needed."""

import asyncio
import shlex
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncssh


@dataclass(frozen=True)
class SshServer:
    """A running server: where it is, and the files with which a client gets in."""

    port: int
    key: Path
    known_hosts: Path

    def url(self, bare: Path) -> str:
        """Give the URL of the repository at `bare`."""
        return f"ssh://bot@127.0.0.1:{self.port}{bare}"


@contextmanager
def serve(folder: Path) -> Iterator[SshServer]:
    """Serve until the block ends; `folder` gets the client's key and its known_hosts."""
    host, client = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    key, known, authorized = folder / "key", folder / "known_hosts", folder / "authorized_keys"
    client.write_private_key(key)
    key.chmod(0o600)
    client.write_public_key(authorized)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(_listen(host, authorized), loop).result(10)
    known.write_text(f"[127.0.0.1]:{server.get_port()} {host.export_public_key().decode()}")
    try:
        yield SshServer(server.get_port(), key, known)
    finally:
        asyncio.run_coroutine_threadsafe(_stop(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _listen(host: asyncssh.SSHKey, authorized: Path) -> asyncssh.SSHAcceptor:
    return await asyncssh.listen(
        *("127.0.0.1", 0),
        server_host_keys=[host],
        authorized_client_keys=str(authorized),
        process_factory=_run_git,
        encoding=None,
    )


async def _run_git(process: "asyncssh.SSHServerProcess[bytes]") -> None:
    program, *arguments = shlex.split(process.command or "")
    if program not in ("git-upload-pack", "git-receive-pack"):
        process.exit(126)
        return
    environment = {name: process.env[name] for name in ("GIT_PROTOCOL",) if name in process.env}
    child = subprocess.Popen(
        ["git", program.removeprefix("git-"), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment | {"PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/dev/null"},
    )
    await process.redirect(stdin=child.stdin, stdout=child.stdout, stderr=child.stderr)
    status = await asyncio.get_running_loop().run_in_executor(None, child.wait)
    await process.stdout.drain()
    process.exit(status)
    await process.wait_closed()


async def _stop(server: asyncssh.SSHAcceptor) -> None:
    server.close()
    await server.wait_closed()
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others, timeout=5)
