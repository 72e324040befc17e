"""Controls a headless Chromium by the DevTools protocol over a pipe, without port or package."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path

# The time limit for a message, in seconds. Only a browser that hangs reaches it.
PATIENCE = 300

# Ends in the first frame in which the screen has a size.
RESIZED = """new Promise(done => {
  const look = () => screen.width === %d && screen.height === %d ? done() : requestAnimationFrame(look);
  look();
})"""


class Chromium:
    """A browser for a `with` statement. Shows one page at a time, and records its requests and its
    messages on the console."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        commands, self.sink = os.pipe()
        self.source, answers = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", program, "--headless=new",
             "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--no-first-run", f"--user-data-dir={self.profile}"],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.buffer, self.count, self.target, self.session = b"", 0, None, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=PATIENCE)
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
        while (answer := self.read()).get("id") != number:
            self.note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def read(self):
        while b"\0" not in self.buffer:
            if not select.select([self.source], [], [], PATIENCE)[0]:
                raise RuntimeError(f"Chromium sent nothing for {PATIENCE} s")
            piece = os.read(self.source, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium has exited")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def note(self, event):
        method, details = event.get("method"), event.get("params", {})
        if event.get("sessionId") != self.session:
            return  # An event of the previous page.
        if method == "Page.lifecycleEvent" and details["name"] == "load":
            self.loaded.add(details["loaderId"])
        elif method == "Runtime.exceptionThrown":
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

    def open(self, path, width, height):
        """Loads a file in a new tab, and closes the one of the previous page."""
        previous, self.session = self.target, None
        self.target = self.call("Target.createTarget", url="about:blank")["targetId"]
        if previous:
            self.call("Target.closeTarget", targetId=previous)
        self.session = self.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        self.complaints, self.requests, self.loaded = [], [], set()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.view(width, height)
        page = self.call("Page.navigate", url=Path(path).resolve().as_uri())
        while page["loaderId"] not in self.loaded:
            self.note(self.read())

    def view(self, width, height, scheme="light", phone=False):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, screenWidth=width,
            screenHeight=height, deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.evaluate(RESIZED % (width, height))

    def evaluate(self, expression):
        """Returns the value of an expression; of a promise, the value that it resolves to."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[-200:]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
