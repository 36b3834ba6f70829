"""A small client for headless Chromium: the DevTools protocol over a pipe, no package needed."""

import base64
import contextlib
import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

# The browser reads commands from descriptor 3 and writes answers to 4.
_LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
_FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--hide-scrollbars", "--remote-debugging-pipe",
]  # fmt: skip
DEADLINE = 120  # seconds for one answer; software rendering on a busy machine is slow


def executable():
    """Return where Chromium is, None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page of a headless Chromium; ``errors`` collects what the console complained about."""

    def __init__(self, profile):
        commands_out, self._commands = os.pipe()
        self._answers, answers_in = os.pipe()
        # High numbers, so that 3 and 4 are free in the child.
        child_end = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (commands_out, answers_in)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, *map(str, child_end), executable(), *_FLAGS,
             f"--user-data-dir={profile}", "about:blank"],
            pass_fds=child_end, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for fd in (commands_out, answers_in, *child_end):
            os.close(fd)
        self._numbers, self._buffer, self._session = itertools.count(1), b"", None
        self.errors, self.requests = [], []
        self._attach()

    def _attach(self):
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        answer = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Send a command and return its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + DEADLINE
        while True:
            answer = self._receive(end)
            if answer.get("id") != number:
                self._note(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def _receive(self, end):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0, end - time.monotonic()))
            piece = os.read(self._answers, 1 << 20) if ready else b""
            if not piece:
                raise TimeoutError("Chromium did not answer")
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"].get("exception", {}).get("description"))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append([part.get("value") for part in params["args"]])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, path, *, width=1400, height=1000, theme="light", mobile=False):
        """Show a file in a window of this size and wait until its plot is drawn."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=mobile,
        )  # fmt: skip
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": theme}],
        )
        self.errors.clear()
        self.requests.clear()
        self.call("Page.navigate", url=Path(path).as_uri())
        self.wait("document.documentElement?.dataset.drawn === '2d'")

    def run(self, expression):
        """Return the value of a JavaScript expression; promises are awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def wait(self, condition):
        """Wait until a JavaScript condition is true."""
        end = time.monotonic() + DEADLINE
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {condition}; errors: {self.errors}")
            time.sleep(0.05)

    def click(self, selector):
        """Click the element as a script would."""
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def move_mouse(self, x, y):
        """Move the pointer in two steps, as plotly looks at movements."""
        for step in (3, 0):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x - step, y=y)

    def screenshot(self, path, *, whole=False):
        """Write what the window shows, or the whole page, as PNG."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(picture["data"]))

    def print_pdf(self, path):
        """Write the page as it would be printed."""
        pdf = self.call("Page.printToPDF", printBackground=False)
        Path(path).write_bytes(base64.b64decode(pdf["data"]))

    def close(self):
        """End the browser."""
        with contextlib.suppress(Exception):
            self._session = None
            self.call("Browser.close")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)
        self._process.kill()
        os.close(self._commands)
        os.close(self._answers)
