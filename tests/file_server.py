"""A web server on this machine that serves a file well or badly."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Remote:
    """One remote file and the manners of its server; tests change them between requests.

    break_after: how many bytes of an answer are sent before the connection breaks, for each
    answer to come; after the last of them all bytes are sent. status: the answer is this error.
    """

    def __init__(self, body=b""):
        self.body = body
        self.break_after = []
        self.status = None
        self.asked = []


@contextmanager
def serve(remote):
    """Serve ``remote`` at every path; yield the address of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            remote.asked.append(self.path)
            if remote.status is not None:
                self.send_error(remote.status)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(remote.body)))
            self.end_headers()
            self.wfile.write(
                remote.body[: remote.break_after.pop(0) if remote.break_after else None]
            )

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
