"""A small server on this machine that sends prepared bodies, so that real clients read real bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from openai import OpenAI


class Server(ThreadingHTTPServer):
    """`bodies`: what the next requests are answered with, as pieces that are flushed one by one."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[list[bytes]] = []
        self.kind = "text/event-stream"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", self.server.kind)
        self.end_headers()
        for piece in self.server.bodies.pop(0):
            self.wfile.write(piece)
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[tuple[Server, OpenAI]]:
    """The server, running, and a client of it."""
    server = Server()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        host, port = server.server_address[:2]
        with OpenAI(base_url=f"http://{host!s}:{port}/v1", api_key="none", max_retries=0) as client:
            yield server, client
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
