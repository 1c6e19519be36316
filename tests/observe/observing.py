#!/usr/bin/env python3
"""What command_processor.core.{trace,profile,checks} show of firmware, with the real program: one case a call.

usage: observing.py WARPVP COMPILER CASE
Exit status 0: as expected; 77: the cross compiler is not here, so the case is skipped; else: a failed expectation.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

WARPVP, COMPILER, CASE = sys.argv[1:4]
HERE = os.path.dirname(os.path.abspath(__file__))
FIRMWARE = os.path.join(HERE, "../../sw/firmware")
WORK = tempfile.mkdtemp(prefix="warpvp-observe-")


def expect(condition, what):
    if not condition:
        sys.exit("FAILED: " + what)


def run(name, *settings):
    """Exit status, standard error and folder of a run on the RISC-V core."""
    command = [WARPVP, "run", "many_streams", "--quiet", "--platform", "small", "--out", os.path.join(WORK, name)]
    for setting in ("type=riscv", *settings):
        command += ["--set", "platform.command_processor." + setting]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=250)
    return done.returncode, done.stderr, os.path.join(WORK, name)


def result_of(folder):
    with open(os.path.join(folder, "result.json")) as file:
        result = json.load(file)
    del result["host"], result["provenance"], result["config"]
    return result


def read(folder, name):
    with open(os.path.join(folder, name)) as file:
        return file.read()


# ---- Cases


def observed():
    status, errors, plain = run("plain")
    expect(status == 0, errors)
    status, errors, watched = run("watched", "core.trace=trace.txt", "core.profile=profile.txt", "core.checks=true")
    expect(status == 0, errors)
    before, after = result_of(plain), result_of(watched)
    core = after["control"]["command_processor"]["core"]
    expect(0 < core["stack_high_water"] < core["stack_bytes"] == 16384, f"a plausible stack: {core}")
    del core["stack_high_water"], core["stack_bytes"]
    expect(before == after, "observing the firmware leaves no trace in the result")

    lines = read(watched, "trace.txt").splitlines()
    expect(len(lines) == core["instructions"], f"{len(lines)} lines for {core['instructions']} instructions")
    expect(re.match(r" +0\.000  8000\w{4}  _start +auipc gp,", lines[0]), lines[0])
    times = [float(line.split()[0]) for line in lines]
    expect(times == sorted(times), "in order of time")
    expect(any(re.search(r"  hal_\S+ +wfi$", line) for line in lines), "it sleeps somewhere")

    profile = read(watched, "profile.txt")
    match = re.match(r"(\d+) instructions in (\d+) cycles; asleep ([0-9.]+) of ([0-9.]+) us\n", profile)
    expect(match and int(match[1]) == core["instructions"], profile[:80])
    rows = {words[-1]: words for words in map(str.split, profile.splitlines()[5:])}
    expect({"fw_step", "started", "complete", "main"} <= set(rows), f"functions: {sorted(rows)}")
    own = [int(words[2]) for words in rows.values()]
    expect(own == sorted(own, reverse=True), "sorted by self cycles")
    expect(sum(own) == int(match[2]), "self cycles add up")
    # Nobody returns from main: start-up and main together last as long as the run.
    expect(int(rows["_start"][4]) == int(match[2]), "everything is called from the start")
    share = float(match[3]) / float(match[4])
    expect(abs(share - core["sleeping"]) < 0.01, f"asleep {share}, {core['sleeping']}")


def unwritable():
    for field in ("trace", "profile"):
        status, errors, _ = run(field, f"core.{field}=/nowhere/file.txt")
        expect(status == 2, f"{field}: exit 2, not {status}")
        expect(re.fullmatch(rf"warpvp: command_processor\.core\.{field}: '/nowhere/file\.txt' cannot be written; "
                            r"allowed: .*\n", errors), errors)


def faulty(name, message, culprit=r"culprit[^:]*"):
    if not shutil.which(COMPILER):
        print(f"{COMPILER} is not installed: skipped")
        sys.exit(77)
    program = os.path.join(WORK, name + ".elf")
    subprocess.run([COMPILER, "-march=rv32imac_zicsr_zifencei", "-mabi=ilp32", "-O1", "-fno-optimize-sibling-calls",
                    "-ffreestanding",
                    "-nostdlib", "-T", os.path.join(FIRMWARE, "linker.ld"), "-Wl,--defsym=main_assisted=main", "-D" + name,
                    os.path.join(FIRMWARE, "crt0.S"), os.path.join(HERE, "faulty.c"), "-o", program], check=True)
    status, errors, _ = run("checked", "firmware=" + program, "core.checks=true")
    print(errors)
    expect(status == 3, f"a device fault, not {status}")
    expect(re.search(rf"^warpvp: firmware in {culprit}: {message}", errors), "the culprit and what it did")
    # Without the checks the handler has it, and the program only spins.
    status, errors, _ = run("unchecked", "firmware=" + program, "core.progress_limit=10000")
    expect("culprit" not in errors.split("\n")[0], errors)


CASES = {
    "observed": observed,
    "unwritable": unwritable,
    "null_store": lambda: faulty("NULL_STORE", "null pointer: store of 4 bytes at 0x00000010"),
    "null_call": lambda: faulty("NULL_CALL", r"null pointer: jump to 0x00000000, where there is no code, from "
                                             r"culprit\S* ", "0x00000000"),
    "wild_load": lambda: faulty("WILD_LOAD", r"wild load of 4 bytes at 0x88\w{6}: nothing is there"),
    "code_store": lambda: faulty("CODE_STORE", r"store of 4 bytes at 0x8000\w{4} writes to code, in main\+0x4"),
    "stack_overflow": lambda: faulty("STACK_OVERFLOW", r"stack overflow: sp would be 0x7fff\w{4}, \d+ bytes below "
                                                       r"__stack_limit of a stack of 16384 bytes"),
    "misaligned": lambda: faulty("MISALIGNED", r"store address misaligned at 0x8000\w{3}[26ae]"),
    "read_only_register": lambda: faulty("READ_ONLY_REGISTER", "store access fault at 0x00145000"),
}
try:
    CASES[CASE]()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
