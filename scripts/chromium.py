"""Controls a headless Chromium by the DevTools protocol over a pipe, without port or package."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


# The time limit for an answer, in seconds.
PATIENCE = 60


class Chromium:
    """A browser, for a `with` statement. Records messages on the console and requests of pages."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        to_browser, self.sink = os.pipe()
        self.source, from_browser = os.pipe()
        command = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
            f"--user-data-dir={self.profile}", "about:blank",
        ]

        def place_pipes():
            # Chromium reads commands from descriptor 3 and answers on 4.
            os.dup2(os.dup(to_browser), 63)
            os.dup2(os.dup(from_browser), 62)
            os.dup2(63, 3)
            os.dup2(62, 4)

        self.process = subprocess.Popen(
            command, preexec_fn=place_pipes, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.count = 0
        self.session = None
        self.complaints, self.requests, self.seen = [], [], set()
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call(
                "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, **parameters):
        """Sends a command and returns the number of its answer."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.sink, json.dumps(message).encode() + b"\0")
        return self.count

    def call(self, method, **parameters):
        """Sends a command and returns its answer; records the events before it."""
        number = self.send(method, **parameters)
        while True:
            answer = self.read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def read(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            if not select.select([self.source], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError(f"Chromium did not answer within {PATIENCE} s")
            piece = os.read(self.source, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium exited before it answered")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def note(self, event):
        method, details = event.get("method"), event.get("params", {})
        self.seen.add(method)
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(details["exceptionDetails"].get("exception", details)))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(f"console.{details['type']}: {details['args']}")
        elif method == "Log.entryAdded":
            self.complaints.append(f"{details['entry']['level']}: {details['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"a dialog: {details['message']}")
            # Does not wait for this answer: the caller waits for another one.
            self.send("Page.handleJavaScriptDialog", accept=False)

    def view(self, width, height, scheme, phone=False):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        self.complaints, self.requests, self.seen = [], [], set()
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        deadline = time.monotonic() + PATIENCE
        while self.evaluate("document.readyState") != "complete":
            if time.monotonic() > deadline:
                raise RuntimeError(f"{path} did not load within {PATIENCE} s")
            time.sleep(0.05)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
