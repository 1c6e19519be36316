#!/usr/bin/env python3
"""Firmware under the debugger, with the real program: one case a call.

usage: debugging.py WARPVP GDB CASE
Exit status 0: as expected; 77: GDB is not here, so the case is skipped; anything else: a failed expectation.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

WARPVP, GDB, CASE = sys.argv[1:4]
FIRMWARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../sw/firmware/prebuilt/rr.elf")
SETTINGS = ["--platform", "small", "--set", "platform.command_processor.type=riscv",
            "--set", "platform.command_processor.firmware=rr"]
PATIENCE = 100  # seconds; only a hang takes as long
WORK = tempfile.mkdtemp(prefix="warpvp-gdb-")


def expect(condition, what):
    if not condition:
        sys.exit("FAILED: " + what)


class Simulation:
    """The program with a debugger's port open, or without one."""

    def __init__(self, name, *options, workload="many_streams"):
        self.out = os.path.join(WORK, name)
        self.process = subprocess.Popen([WARPVP, "run", workload, *SETTINGS, "--out", self.out, *options], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.errors = ""
        self.port = None
        if "--gdb" in options:
            line = self.process.stderr.readline()
            match = re.fullmatch(r"gdb: listening on 127\.0\.0\.1:(\d+)\n", line)
            expect(match, f"the port is said in the first line, got {line!r}")
            self.port = int(match.group(1))

    def wait(self):
        """The exit status, once it has ended."""
        try:
            _, self.errors = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            sys.exit("FAILED: the simulation does not end")
        return self.process.returncode

    def result(self):
        """result.json without what may differ between two runs of the same."""
        with open(os.path.join(self.out, "result.json")) as file:
            result = json.load(file)
        del result["host"], result["provenance"]
        return result


def debugged(**workload):
    return Simulation("debugged", "--gdb", "0", "--gdb-wait", **workload)


def undisturbed():
    simulation = Simulation("undisturbed")
    expect(simulation.wait() == 0, "the run works without a debugger: " + simulation.errors)
    return simulation.result()


def gdb(port, *commands):
    """What GDB says to the commands."""
    if not shutil.which(GDB):
        print(f"{GDB} is not installed: skipped")
        sys.exit(77)
    words = [GDB, "--batch", "-nx", "-ex", "set pagination off", "-ex", "set confirm off",
             "-ex", "set remotetimeout 60", "-ex", f"file {FIRMWARE}", "-ex", f"target remote 127.0.0.1:{port}"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
    print(done.stdout)
    return done.stdout


def says(text, *patterns):
    at = 0
    for pattern in patterns:
        match = re.compile(pattern, re.MULTILINE).search(text, at)
        expect(match, f"GDB says {pattern!r}, after what was found before")
        at = match.end()


class RawClient:
    """Speaks the protocol, or anything else."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        self.socket.sendall(data)

    def say(self, payload):
        self.send(b"$" + payload + b"#%02x" % (sum(payload) & 255))

    def packet(self):
        data = b""
        while not re.search(rb"\$[^#]*#..$", data):
            more = self.socket.recv(1)
            expect(more, f"the server goes on talking, after {data!r}")
            data += more
        self.send(b"+")
        return re.search(rb"\$([^#]*)#..$", data).group(1)

    def ask(self, payload):
        self.say(payload)
        return self.packet()

    def close(self):
        self.socket.close()


# ---- Cases


def breakpoints():
    simulation = debugged()
    says(gdb(simulation.port, "break started", "continue", "backtrace", "info registers pc sp ra", "print q",
             "tbreak fw_step", "continue", "x/2i $pc", "hbreak complete", "info breakpoints", "delete 1",
             "continue", "backtrace", "delete", "continue"),
         r"^Breakpoint 1, started \(q=\d+, destination=\d+\)", r"^#0  started ", r"^#\d+ .*fw_step ",
         r"^#\d+ .*main ", r"^pc +0x8000", r"^sp +0x8000", r"^ra +0x8000", r"^\$1 = \d+",
         r"Temporary breakpoint 2, fw_step", r"=> 0x8000\w+ <fw_step", r"breakpoint already hit 1 time",
         r"Breakpoint 3, complete ", r"#0  complete ", r"\[Inferior 1 \(Remote target\) exited normally\]")
    expect(simulation.wait() == 0, "the run ends well")


def registers():
    simulation = debugged()
    says(gdb(simulation.port, "info registers", "break fw_start", "continue", "print/x $misa", "print/x $mtvec",
             "print trap_entry", "set $mscratch = 0x1234", "print/x $mscratch", "set $t6 = 77", "print $t6",
             "print/x $mcause", "print $minstret > 10", "detach"),
         r"^ra +0x0", r"^pc +0x8000\w+\s+0x8000\w+ <_start>", r"Breakpoint 1, fw_start",
         r"\$1 = 0x40001105", r"\$2 = 0x8000\w+", r"\$3 = .*0x8000\w+ <trap_entry>", r"\$4 = 0x1234", r"\$5 = 77",
         r"\$6 = 0x0", r"\$7 = 1")
    expect(simulation.wait() == 0, "the run ends well")


def watchpoints():
    simulation = debugged()
    says(gdb(simulation.port, "break fw_step", "continue", "delete", "watch s.free_slots", "continue", "continue",
             "delete", "rwatch s.last_started", "continue", "delete", "awatch s.idle", "continue", "info watchpoints",
             "delete", "detach"),
         r"Breakpoint 1, fw_step", r"Hardware watchpoint 2: s.free_slots", r"^Old value = (\d+)\s+New value = \d+",
         r"^Old value = (\d+)\s+New value = \d+", r"Hardware read watchpoint 3: s.last_started", r"^Value = \d+",
         r"Hardware access \(read/write\) watchpoint 4: s.idle", r"alue = \w+", r"breakpoint already hit 1 time")
    expect(simulation.wait() == 0, "the run ends well")


def steps():
    simulation = debugged()
    says(gdb(simulation.port, "stepi", "print $pc == _start + 4", "stepi 3", "break complete", "continue", "next",
             "print $pc > complete", "step", "finish", "info program", "delete", "detach"),
         r"^\$1 = 1", r"Breakpoint 1, complete", r"^\$2 = 1", r"^complete ", r"^It stopped ")
    expect(simulation.wait() == 0, "the run ends well")


def monitor():
    simulation = debugged()
    says(gdb(simulation.port, "monitor help", "monitor time", "break started if q > 0", "continue", "monitor queues",
             "monitor distributor", "monitor time", "shell sleep 0.2", "monitor time", "monitor nonsense", "delete",
             "detach"),
         r"^queues +State of every mapped queue", r"^time ", r"^help ", r"^0\.000 us, SM cycle 0$", r"Breakpoint 1",
         r"^queue +state +priority", r"^ +\d+ +(active|head waits|empty) .* \d+$|^ +\d+ +(active|head waits|empty) ",
         r"^CTAS_ISSUED \d+", r"^ +SM +free CTAs", r"^ +0 +\d+", r"^(\d+\.\d+ us, SM cycle \d+)\n(?=\1$)",
         r"^unknown command 'nonsense'; there are:")
    expect(simulation.wait() == 0, "the run ends well")


def memory():
    simulation = debugged()
    # A queue's head type through the bus, a word of local memory, and device memory through the first aperture.
    says(gdb(simulation.port, "break fw_start", "continue", "set var s.timer = 0x1122334455667788",
             "print/x s.timer", "x/2xw &s.timer", "print/x *(unsigned*)0x00145000", "x/1xw 0x00120000",
             "print *(unsigned*)0", "x/1xw 0xc0000000", "set var *(unsigned*)0xc0000000 = 0xcafe",
             "print/x *(unsigned*)0xc0000000", "detach"),
         r"\$1 = 0x1122334455667788", r":\s+0x55667788\s+0x11223344", r"\$2 = 0x80", r"Cannot access memory at address 0x0",
         r"^0xc0000000:\s+0x\w+", r"= 0xcafe")
    expect(simulation.wait() == 0, "the run ends well")


def devices():
    simulation = debugged()
    # The interrupt controller's ENABLE keeps what is written; popping a word that is not there is refused, as a store is.
    says(gdb(simulation.port, "break fw_start", "continue", "set var *(unsigned*)0x00142004 = 3",
             "print *(unsigned*)0x00142004", "set var *(unsigned*)0x00142004 = 0", "print *(unsigned*)0x00142004",
             "set var *(unsigned*)0x00143008 = 1", "set var *(unsigned char*)0x00142004 = 1", "detach"),
         r"Breakpoint 1, fw_start", r"\$1 = 3", r"\$2 = 0", r"Cannot access memory at address 0x143008",
         r"Cannot access memory at address 0x142004")
    expect(simulation.wait() == 0, "the run ends well")


def reset():
    simulation = debugged()
    says(gdb(simulation.port, "break fw_start", "continue", "set var s.free_slots = 77", "set $s0 = 5", "monitor reset",
             "maintenance flush register-cache", "print $pc == _start", "print (int)$s0", "continue", "finish", "print s.free_slots < 77", "detach"),
         r"Breakpoint 1, fw_start", r"^the core is at its entry point", r"\$1 = 1", r"\$2 = 0", r"Breakpoint 1, fw_start",
         r"\$3 = 1")
    expect(simulation.wait() == 0, "the run ends well")


def detach():
    simulation = debugged()
    gdb(simulation.port, "break fw_step", "continue", "detach")
    expect(simulation.wait() == 0, "the run goes on after the detach")
    expect(simulation.result() == undisturbed(), "and comes to the same")


def kill():
    simulation = debugged()
    gdb(simulation.port, "break fw_step", "continue", "kill")
    expect(simulation.wait() == 130, "killed is interrupted")
    expect(simulation.result()["exit_code"] == 130, "and its result says so")
    expect("ended by the debugger" in simulation.errors, simulation.errors)


def fault():
    simulation = debugged()
    says(gdb(simulation.port, "break fw_step", "continue", "delete", "set $pc = 0", "continue", "backtrace", "continue"),
         r"Breakpoint 1, fw_step", r"^the firmware gave up with code \d+", r"^Program received signal SIGABRT, Aborted",
         r"^#0 .*trap|^#1 .*trap|^#2 .*trap", r"\[Inferior 1 \(Remote target\) exited with code 03\]")
    expect(simulation.wait() == 3, "a device fault")
    expect(simulation.errors.startswith("warpvp: firmware in "), simulation.errors)


def deadlock():
    simulation = debugged(workload="fault_deadlock")
    client = RawClient(simulation.port)
    said = client.ask(b"c")
    expect(said[:1] == b"O" and bytes.fromhex(said[1:].decode()).startswith(b"deadlock: "), f"why it ends: {said!r}")
    expect(client.packet().startswith(b"T06"), "stops before it ends")
    expect(client.ask(b"m80000000,4") == b"00000000", "to look around")
    expect(client.ask(b"c") == b"W03", "then the end is told")
    expect(simulation.wait() == 3, "a device fault")


def pause():
    simulation = debugged()
    client = RawClient(simulation.port)
    client.ask(b"qSupported:swbreak+")
    client.ask(b"Z0,%x,2" % symbol("started"))
    for _ in range(5):
        expect(client.ask(b"c").startswith(b"T05"), "stops at the breakpoint")
        time.sleep(0.05)
        for _ in range(20):
            expect(client.ask(b"s").startswith(b"T05"), "steps")
        expect(re.fullmatch(rb"([0-9a-f]{8})+", client.ask(b"g")), "registers")
        client.ask(b"m100000,40")  # the queues' registers
    client.ask(b"z0,%x,2" % symbol("started"))
    expect(client.ask(b"c") == b"W00", "the end is told")
    expect(simulation.wait() == 0, "the run ends well")
    expect(simulation.result() == undisturbed(), "a session at the debugger leaves no trace in the result")


def ctrl_c():
    simulation = debugged()
    client = RawClient(simulation.port)
    client.ask(b"?")
    stops = 0
    for _ in range(20):
        client.say(b"c")
        client.send(b"\x03")
        stop = client.packet()
        if stop.startswith(b"W"):
            break
        expect(stop.startswith(b"T02"), f"an interrupt is a SIGINT, not {stop!r}")
        stops += 1
    expect(stops > 1, "the run was interrupted")
    if not stop.startswith(b"W"):
        client.ask(b"D")
    expect(simulation.wait() == 0, "the run ends well")
    expect(simulation.result() == undisturbed(), "and comes to the same")


def ctrl_c_asleep():
    simulation = debugged(workload="bench_sgemm")  # the firmware has nothing to do for most of the time
    client = RawClient(simulation.port)
    client.ask(b"?")
    for _ in range(100):
        client.say(b"c")
        time.sleep(0.02)
        client.send(b"\x03")
        stop = client.packet()
        expect(stop.startswith(b"T02"), f"an interrupt is a SIGINT, not {stop!r}")
        pc = int.from_bytes(bytes.fromhex(client.ask(b"p20").decode()), "little")
        if client.ask(b"m%x,4" % (pc - 4)) == b"73005010":
            break
    else:
        expect(False, "it is stopped behind a wfi, while it sleeps")
    client.say(b"vKill;1")
    expect(simulation.wait() == 130, "killed while asleep")


def rubbish():
    simulation = debugged()
    noise = bytes((i * 7919 >> 3) & 255 for i in range(20000))
    for data in (b"GET / HTTP/1.1\r\n\r\n", noise, b"$" + noise.replace(b"#", b"").replace(b"$", b"") * 3,
                 b"\x03" * 100):
        client = RawClient(simulation.port)
        try:
            client.send(data)
        except OSError:
            pass
        client.close()
    client = RawClient(simulation.port)
    for packet in (b"", b"m", b"mffffffffffffffffffff,1", b"Z9,,", b"G00", b"P", b"X80000000,ffffffff:", b"vCont;x",
                   b"qRcmd,zz", b"qXfer:features:read:target.xml:x,y", b"\xff\xfe", b"Hg" + b"9" * 5000):
        client.ask(packet)
    expect(client.ask(b"qC") == b"QC1", "the server still answers")
    expect(client.ask(b"D") == b"OK", "and lets go")
    expect(simulation.wait() == 0, "the run ends well")
    expect(simulation.result() == undisturbed(), "and comes to the same")


def vanish():
    simulation = debugged()
    client = RawClient(simulation.port)
    client.ask(b"Z0,%x,2" % symbol("fw_step"))
    expect(client.ask(b"c").startswith(b"T05"), "stops at the breakpoint")
    client.send(b"$m80000000,")
    client.close()
    expect(simulation.wait() == 0, "the run goes on without its client")
    expect(simulation.result() == undisturbed(), "and comes to the same")


def reconnect():
    simulation = debugged()
    client = RawClient(simulation.port)
    client.ask(b"Z0,%x,2" % symbol("fw_step"))
    expect(client.ask(b"c").startswith(b"T05"), "stops at the breakpoint")
    expect(client.ask(b"Z0,%x,2" % symbol("started")) == b"OK", "a second breakpoint")
    second = threading.Thread(target=client.close)  # the first one leaves without a word
    second.start()
    second.join()
    client = RawClient(simulation.port)
    client.say(b"?")
    try:
        stop = client.packet()
        expect(stop.startswith(b"T05"), f"a new client finds the core stopped, not {stop!r}")
        expect(client.ask(b"c") == b"W00", "and nothing is left of the old one's breakpoints")
    except OSError:  # the run was faster
        pass
    expect(simulation.wait() == 0, "the run ends well")


def refusals():
    for type_ in ("hardware", "native"):
        simulation = Simulation(type_, "--set", f"platform.command_processor.type={type_}", "--gdb-wait", "--gdb=0")
        expect(simulation.wait() == 2, f"type {type_} cannot be debugged")
        expect(re.fullmatch(rf"warpvp: --gdb needs .*'{type_}'; allowed: riscv\n", simulation.errors), simulation.errors)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        simulation = Simulation("taken", f"--gdb={port}")
        expect(simulation.wait() == 2, "a port that is taken")
        expect(re.fullmatch(rf"warpvp: --gdb {port}: cannot listen .*; allowed: .*\n", simulation.errors),
               simulation.errors)


def symbol(name):
    """The address of a function, where a breakpoint goes: read from the program's symbol table."""
    import struct
    with open(FIRMWARE, "rb") as file:
        data = file.read()
    sections_at, = struct.unpack_from("<I", data, 32)
    entry_size, count = struct.unpack_from("<HH", data, 46)
    sections = [struct.unpack_from("<10I", data, sections_at + i * entry_size) for i in range(count)]
    for section in sections:
        if section[1] != 2:  # SHT_SYMTAB
            continue
        names_at = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 16):
            name_at, value = struct.unpack_from("<II", data, at)
            end = data.index(b"\0", names_at + name_at)
            if data[names_at + name_at:end] == name.encode():
                return value
    sys.exit(f"FAILED: {FIRMWARE} has no symbol {name}")


try:
    globals()[CASE]()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
