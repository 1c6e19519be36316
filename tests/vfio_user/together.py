#!/usr/bin/env python3
"""What a served device has at once: several clients, page tables, the firmware's debugger, policies of plugins. One case a call.

usage: together.py WARPVP CASE [PLUGIN]
Exit status 0: as expected; anything else: a failed expectation.
"""

import json
import os
import re
import shutil
import socket
import struct
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from gpu import CONTEXT, FIRST_QUEUE, Q_OFF, SM_COUNT, TIME, Gpu, Queue  # noqa: E402
from served import PATIENCE, WORK, Server, expect  # noqa: E402
from vfio_client import BAR0, REGION_READ  # noqa: E402

WARPVP, CASE, *MORE = sys.argv[1:]
TRANSLATED = "platform: {extends: small, sms: 2, mmu: {type: page_tables}, memory: {capacity_mib: 2048}}\n"

# Adds its argument `add` to a word a thread.
PTX = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry raise(.param .u64 data, .param .u32 add) {
  .reg .u64 %rd<3>;
  .reg .u32 %r<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [add];
  mov.u32 %r2, %tid.x;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  ld.global.u32 %r3, [%rd2];
  add.u32 %r3, %r3, %r1;
  st.global.u32 [%rd2], %r3;
  ret;
}
"""


class Debugger:
    """GDB's remote protocol, as much as is needed here."""

    def __init__(self, server):
        port = re.search(r"gdb: listening on 127\.0\.0\.1:(\d+)", server.said())
        expect(port, f"the port is said: {server.said()}")
        self.socket = socket.create_connection(("127.0.0.1", int(port.group(1))), timeout=PATIENCE)
        self.buffer = b""

    def send(self, packet):
        self.socket.sendall(b"$%s#%02x" % (packet, sum(packet) % 256))

    def receive(self):
        while True:
            packet = re.search(rb"\$([^#]*)#..", self.buffer)
            if packet:
                self.buffer = self.buffer[packet.end():]
                self.socket.sendall(b"+")
                return packet.group(1)
            piece = self.socket.recv(4096)
            expect(piece, "the debugger's server stays")
            self.buffer += piece

    def ask(self, packet):
        self.send(packet)
        return self.receive()

    def halt(self):
        """The core stands, and with it simulated time."""
        expect(self.ask(b"?").startswith((b"T", b"S")), "the core has stopped")

    def go_on(self):
        self.send(b"c")

    def stop(self):
        self.socket.sendall(b"\3")
        expect(self.receive().startswith((b"T", b"S")), "it stops again")

    def detach(self):
        expect(self.ask(b"D") == b"OK", "the debugger leaves")
        self.socket.close()


class User:
    """A client with a kernel of its own and a word a thread in memory of its own."""

    def __init__(self, server, add):
        self.gpu, self.add, self.rounds = Gpu(server.socket), add, 0
        first = self.gpu.read32(FIRST_QUEUE)
        self.queue = Queue(self.gpu, first)
        kernel = self.gpu.load(self.queue, PTX, "raise")
        expect(isinstance(kernel, tuple), f"the kernel: {kernel}")
        self.kernel = kernel[0]
        self.data, self.arguments = self.gpu.allocate(4 * 64), self.gpu.allocate(64)
        self.gpu.put(self.data, struct.pack("<64I", *range(64)))
        self.gpu.put(self.arguments, struct.pack("<QI", self.data, add))

    def launch(self):
        self.queue.launch(self.kernel, (1, 1, 1), (64, 1, 1), self.arguments)
        self.rounds += 1

    def finish(self):
        self.queue.wait()
        expected = tuple(i + self.rounds * self.add for i in range(64))
        expect(struct.unpack("<64I", self.gpu.get(self.data, 256)) == expected, f"round {self.rounds} adds {self.add}")

    def work(self):
        self.launch()
        self.finish()


def halted():
    """Two clients with page tables each, and a debugger that halts the firmware while they wait."""
    server = Server(WARPVP, "platform.host.clients=2", "--gdb=0", text=TRANSLATED)
    users = [User(server, 3), User(server, 1000)]
    expect([user.gpu.read32(CONTEXT) for user in users] == [1, 2], "contexts")
    for user in users:
        user.work()
    debugger = Debugger(server)
    debugger.halt()
    # What clients ask for meanwhile is done when the core goes on.
    waiting = [threading.Thread(target=user.work) for user in users]
    for thread in waiting:
        thread.start()
    expect(debugger.ask(b"m80000000,4") != b"E01", "the debugger reads memory")
    debugger.go_on()
    for thread in waiting:
        thread.join(PATIENCE)
        expect(not thread.is_alive(), "the clients go on")
    expect([user.rounds for user in users] == [2, 2], "both have worked")
    debugger.stop()
    debugger.detach()
    for user in users:
        user.work()
        user.gpu.close()
    expect(server.wait() == 0, server.said())
    kernels = server.result()["kernels"]
    expect(sorted(kernel["context"] for kernel in kernels) == [1] * 3 + [2] * 3, f"launches {kernels}")


def killed():
    """A client that goes while the debugger has halted the firmware leaves a place for the next, and harms nobody."""
    server = Server(WARPVP, "platform.host.clients=2", "--gdb=0", text=TRANSLATED)
    stays, goes = User(server, 3), User(server, 1000)
    stays.work()
    goes.work()
    debugger = Debugger(server)
    debugger.halt()
    goes.gpu.send(REGION_READ, struct.pack("<QII", SM_COUNT, BAR0, 4))  # it does not wait for the answer
    goes.gpu.close()
    debugger.go_on()
    stays.work()
    comes = Gpu(server.socket)
    expect(comes.read32(CONTEXT) == 2, "the place is free again")
    expect(comes.read32(0x10102c + 0x40 * comes.read32(FIRST_QUEUE)) == Q_OFF, "with its queues off")
    comes.close()
    # And one that goes halted is all that the run waits for.
    debugger.stop()
    stays.gpu.close()
    debugger.go_on()
    expect(server.wait() == 0, server.said())


def clock():
    """Time that follows the clients' clock, and a debugger."""
    server = Server(WARPVP, "platform.host.clock=client", "--gdb=0")
    user = User(server, 5)
    user.work()
    debugger = Debugger(server)
    debugger.halt()
    for _ in range(3):
        waiting = threading.Thread(target=user.work)
        waiting.start()
        debugger.go_on()
        waiting.join(PATIENCE)
        expect(not waiting.is_alive(), "the client goes on")
        expect(user.gpu.read64(TIME) > 0, "accesses are answered")
        debugger.stop()
    debugger.detach()
    user.work()
    user.gpu.close()
    expect(server.wait() == 0, server.said())


def plugin():
    """A policy that a plugin brings decides on a served device."""
    server = Server(WARPVP, text=f"plugins: [{MORE[0]}]\nplatform: {{extends: small, sms: 1, sm: {{warp_scheduler: {MORE[1]}}}}}\n")
    user = User(server, 9)
    user.work()
    user.gpu.close()
    expect(server.wait() == 0, server.said())
    result = server.result()
    expect(MORE[1] in str(result["config"]["platform"]["sm"]["warp_scheduler"]), "the policy is the plugin's")
    expect(len(result["kernels"]) == 1, "and the kernel ran")


def recorded():
    """Timeline and intervals of a served run; what they have does not depend on how long the client thinks."""
    runs = []
    for pause in (0, 0.02):
        server = Server(WARPVP, "--trace", "--intervals=1000")
        user = User(server, 7)
        for _ in range(3):
            user.work()
            time.sleep(pause)
        user.gpu.close()
        expect(server.wait() == 0, server.said())
        files = {}
        for name in ("trace.json", "intervals.csv"):
            with open(os.path.join(server.out, name)) as file:
                files[name] = file.read()
        events = json.loads(files["trace.json"])
        events = events["traceEvents"] if isinstance(events, dict) else events
        expect(sum(event.get("name") == "raise" for event in events) >= 3, "the timeline has each kernel")
        expect(files["intervals.csv"].count("\n") > 2, "there are intervals")
        runs.append(files)
    expect(runs[0] == runs[1], "the files of two runs differ")


try:
    {"halted": halted, "recorded": recorded, "killed": killed, "clock": clock, "plugin": plugin}[CASE]()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
