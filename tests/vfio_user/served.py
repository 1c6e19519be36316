"""The program serving a platform, for tests."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 100  # seconds; only a hang takes as long
WORK = tempfile.mkdtemp(prefix="warpvp-serve-")


def expect(condition, what):
    if not condition:
        sys.exit("FAILED: " + what)


def expect_refused(number, call, what):
    """`call` is answered with that errno."""
    from vfio_client import Refused
    try:
        call()
    except Refused as refused:
        expect(refused.errno == number, f"{what}: errno {refused.errno} ({refused}), not {number}")
        return
    sys.exit(f"FAILED: {what}: it was not refused")


class Server:
    """`warpvp serve` with a socket of its own."""

    count = 0

    def __init__(self, program, *settings, platform="small", text=None):
        Server.count += 1
        self.out = os.path.join(WORK, f"run{Server.count}")
        self.socket = os.path.join(WORK, f"gpu{Server.count}.sock")
        file = os.path.join(WORK, f"platform{Server.count}.yaml")
        with open(file, "w") as f:
            f.write(text or f"platform: {platform}\n")
        words = [program, "serve", file, "--socket", self.socket, "--out", self.out, "--quiet"]
        for setting in settings:
            words += [setting] if setting.startswith("--") else ["--set", setting]
        self.errors = open(os.path.join(WORK, f"errors{Server.count}"), "w+")
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=self.errors)
        deadline = time.monotonic() + PATIENCE
        while "serve: vfio-user at" not in self.said():
            expect(self.process.poll() is None, "the server lives: " + self.said())
            expect(time.monotonic() < deadline, "the socket appears")
            time.sleep(0.01)

    def said(self):
        self.errors.flush()
        with open(self.errors.name) as file:
            return file.read()

    def interrupt(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        """The exit status, once it has ended."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            sys.exit("FAILED: the server does not end: " + self.said())

    def result(self):
        """result.json without what may differ between two runs of the same."""
        with open(os.path.join(self.out, "result.json")) as file:
            result = json.load(file)
        del result["host"], result["provenance"], result["config"]["platform"]["host"]["socket"]
        return result
