"""A bucket in memory with the part of S3 that exports need; tests/objects has a complete one."""
import contextlib
import hashlib
import http.server
import os
import threading
import time
import urllib.parse

PAGES = {"list-type": "ListBucketResult", "uploads": "ListMultipartUploadsResult"}
# The bucket checks no signatures.
KEYS = {"AWS_ACCESS_KEY_ID": "a-key", "AWS_SECRET_ACCESS_KEY": "its-secret"}


class _Calls(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def _answer(self, status, body=b"", headers=None):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        own = {name: value for name, value in self.headers.items()
               if name.lower().startswith("x-amz-meta-") or name.lower() == "content-type"}
        if self.server.refuses.is_set():
            return self._answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        if not self.server.takes.is_set():
            self.server.holds.set()
            self.server.takes.wait()
        own["ETag"] = f'"{hashlib.md5(body).hexdigest()}"'
        own["Last-Modified"] = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())
        self.server.objects[self.path.partition("?")[0]] = body, own
        self._answer(200, headers={"ETag": own["ETag"]})

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        for word, page in PAGES.items():
            if word in urllib.parse.parse_qs(parts.query, keep_blank_values=True):
                return self._answer(
                    200, f"<{page}><IsTruncated>false</IsTruncated></{page}>".encode())
        if parts.path.strip("/").count("/") < 1:  # the bucket itself exists
            return self._answer(200)
        if parts.path not in self.server.objects:
            return self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        return self._answer(200, *self.server.objects[parts.path])

    do_HEAD = do_GET

    def do_DELETE(self):
        self.server.objects.pop(self.path.partition("?")[0], None)
        self._answer(204)


class _Server(http.server.ThreadingHTTPServer):
    """`flags` are the flags with which a service uses it. While `takes` is clear, writes wait, and
    `holds` is set once one does. While `refuses` is set, writes are refused."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Calls)
        self.objects, self.takes, self.holds = {}, threading.Event(), threading.Event()
        self.refuses = threading.Event()
        self.takes.set()
        self.flags = ("--objects", "s3://test", "--objects-path-style", "--objects-endpoint",
                      f"http://127.0.0.1:{self.server_port}")

    def handle_error(self, *_):
        """Ignores errors, because a service that is killed resets its connections."""


@contextlib.contextmanager
def bucket():
    """Runs a bucket."""
    os.environ.update(KEYS)
    server = _Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.takes.set()
        server.shutdown()
        server.server_close()
