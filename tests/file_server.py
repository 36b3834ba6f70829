"""A web server on this machine that serves a file well or badly."""

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Remote:
    """One remote file and the manners of its server; tests change them between requests.

    break_after: how many bytes of each answer are sent before the connection breaks.
    status: the answer is this error, if set. etag: None leaves the version out.
    """

    def __init__(self, body=b"", etag='"one"'):
        self.body = body
        self.etag = etag
        self.break_after = None
        self.status = None
        self.can_resume = True
        self.ranges = []

    def span(self, header):
        wanted = re.fullmatch(r"bytes=(\d+)-", header or "")
        return int(wanted[1]) if wanted and self.can_resume else 0


@contextmanager
def serve(remote):
    """Serve ``remote`` at every path; yield the address of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            remote.ranges.append(self.headers.get("Range"))
            start = remote.span(self.headers.get("Range"))
            if remote.status is not None or start >= max(len(remote.body), 1):
                self.send_error(remote.status or 416)
                return
            self.send_response(206 if start else 200)
            if start:
                end = len(remote.body) - 1
                self.send_header("Content-Range", f"bytes {start}-{end}/{len(remote.body)}")
            if remote.etag:
                self.send_header("ETag", remote.etag)
            rest = remote.body[start:]
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: remote.break_after])

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
