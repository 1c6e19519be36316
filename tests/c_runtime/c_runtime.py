#!/usr/bin/env python3
"""libwarpvp-runtime.so as programs in C and in Python use it, at a served platform: one case a call.

usage: c_runtime.py WARPVP LIBRARY FOLDER_OF_C_PROGRAMS CASE
Exit status 0: as expected; anything else: a failed expectation.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from ctypes import c_float, c_uint32, c_uint64

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../vfio_user")]

import warpvp_runtime as wv  # noqa: E402
from launch_lists import KERNELS, LISTS, kernels_inside  # noqa: E402
from served import WORK, Server, expect  # noqa: E402

WARPVP, LIBRARY, PROGRAMS, CASE = sys.argv[1:5]
library = wv.Library(LIBRARY)


def address(server):
    return "vfio-user:" + server.socket


def program(name, where):
    return subprocess.run([os.path.join(PROGRAMS, name), where, KERNELS], capture_output=True, text=True)


def refused(status, call, *words):
    """`call` fails with that status, and its line of text has the words."""
    try:
        call()
    except wv.Error as error:
        expect(error.status == status, f"status {error}, not {status}")
        expect(error.text and "\n" not in error.text, f"one line: {error.text!r}")
        for word in words:
            expect(word in error.text, f"'{word}' is not in: {error.text}")
        return
    sys.exit(f"FAILED: not refused: {words}")


def end(server, *devices, status=0):
    for device in devices:
        device.close()
    expect(server.wait() == status, f"exit status, not {status}: {server.said()}")
    return server.result()


def source(name):
    with open(os.path.join(KERNELS, name)) as file:
        return file.read()


def programs():
    """Programs in C at one server, one after the other."""
    server = Server(WARPVP, "platform.host.ends=never")
    for name, says in (("vector_add", "vector add: right, at "), ("reduction", "reduction: right, at "),
                       ("two_streams", "two streams: right, at ")):
        ended = program(name, address(server))
        expect(ended.returncode == 0 and ended.stdout.startswith(says), f"{name}: {ended}")
    server.interrupt()
    expect(server.wait() == 130, server.said())
    kernels = [kernel["name"] for kernel in server.result()["kernels"]]
    expect(kernels == ["vector_add", "reduce_sum"] + ["saxpy"] * 6, kernels)


def cycles():
    """Kernels take the cycles that the same launches take in a run inside, whatever the platform's code and driver."""
    for name in LISTS:
        for settings in ([], ["platform.ptx.code=machine", "platform.runtime.call_ns=1234.5", "platform.ptx.registers=40"]):
            server = Server(WARPVP, *settings)
            ended = program(name, address(server))
            expect(ended.returncode == 0, f"{name}: {ended}")
            outside, of_run = end(server)["kernels"], kernels_inside(WARPVP, name, WORK, *settings)
            expect(len(of_run) == {"two_streams": 4}.get(name, 1) and len(outside) >= len(of_run), name)
            for a, b in zip(of_run, outside):
                for key in ("start_cycle", "end_cycle", "warp_instructions", "ctas", "entry"):
                    expect(a[key] == b[key], f"{name} {settings}: {key} is {a[key]} inside and {b[key]} outside")


def saxpy(device, kernel, factor, x, y, count, **options):
    device.launch(kernel, count // 128, 128, c_float(factor), c_uint64(x), c_uint64(y), c_uint32(count), **options)


def python():
    """A client in Python: properties, memory, two streams, events."""
    server = Server(WARPVP)
    device = wv.Device(library, address(server))
    properties = device.properties()
    expect((properties.sms, properties.memory_bytes >> 20) == (4, 2048), f"{properties.sms} SMs")
    expect(properties.name == b"NVIDIA TITAN V" and properties.sm_clock_mhz > 1000, str(properties.name))
    expect(library.version().count(".") == 2, library.version())
    count = 1024
    x, y = device.malloc(4 * count), device.malloc(4 * count)
    expect(device.properties().memory_in_use > properties.memory_in_use, "memory in use")
    data = (c_float * count)(*range(count))
    kernel = device.kernel(device.load(source("saxpy.ptx")))
    first, second = device.stream(), device.stream(priority=2, name="urgent")
    device.put(x, data, first)
    device.call("wv_fill", y, 0, 4 * count, second)
    loaded = device.record(first)
    device.call("wv_wait", second, loaded)
    begun = device.record(second)
    saxpy(device, kernel, 3.0, x, y, count, stream=second, name=b"tripled")
    ended = device.record(second)
    back = (c_float * count)()
    device.get(back, y, second)
    device.synchronize(second)
    expect(list(back) == [3.0 * i for i in range(count)], "y = 3 x")
    expect(device.elapsed_us(begun, ended) > 0.5, device.elapsed_us(begun, ended))
    device.call("wv_copy_on_device", x, y, 4 * count, 0)
    device.get(data, x)
    device.synchronize()
    expect(list(data) == list(back), "a copy on the device")
    device.free(x)
    device.free(0)
    (kernel,) = end(server, device)["kernels"]
    expect(kernel["entry"] == "saxpy" and kernel["priority"] == 2, kernel)


PTX = """
.version 7.0
.target sm_70
.address_size 64
.global .u32 bias[4] = {5, 6, 7, 8};
.visible .entry scale(.param .u64 data, .param .u32 factor) {
  .reg .u64 %rd<4>;
  .reg .u32 %r<6>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [factor];
  mov.u32 %r2, %tid.x;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  ld.global.u32 %r3, [%rd2];
  ld.global.u32 %r4, [bias];
  mad.lo.u32 %r3, %r3, %r1, %r4;
  st.global.u32 [%rd2], %r3;
  ret;
}
.visible .entry nothing() { ret; }
"""


def modules():
    """PTX is refused with its place; variables have addresses."""
    server = Server(WARPVP)
    device = wv.Device(library, address(server))
    wrong = device.load(PTX.replace("mad.lo.u32 %r3", "mad.lo.u32 %q3"), "my.ptx")
    refused(wv.BAD_MODULE, lambda: device.kernel(wrong, "scale"), "my.ptx:15:", "%q3")
    device.kernel(wrong, "nothing")
    refused(wv.BAD_MODULE, lambda: device.load("\1\2\3", "my.ptx"), "my.ptx:1:")
    module = device.load(PTX)
    refused(wv.BAD_MODULE, lambda: device.kernel(module), "nothing, scale")
    refused(wv.BAD_MODULE, lambda: device.kernel(module, "other"), "other")
    refused(wv.BAD_MODULE, lambda: device.kernel(module + 7, "scale"), "no module 8")
    at, size = device.symbol(module, "bias")
    expect(size == 16, size)
    refused(wv.INVALID, lambda: device.symbol(module, "bios"), "bios")
    data = (c_uint32 * 32)(*range(32))
    memory = device.malloc(128)
    device.put(memory, data)
    device.put(at, (c_uint32 * 1)(100))
    device.launch(device.kernel(module, "scale"), 1, 32, c_uint64(memory), c_uint32(7))
    device.get(data, memory)
    device.synchronize()
    expect(list(data) == [7 * i + 100 for i in range(32)], "the variable that the host has written")
    end(server, device)


def misuse():
    """Wrong calls do nothing, say so in one line, and the device goes on."""
    server = Server(WARPVP)
    device = wv.Device(library, address(server))
    module = device.load(PTX)
    kernel, nothing = device.kernel(module, "scale"), device.kernel(module, "nothing")
    memory = device.malloc(128)
    refused(wv.INVALID, lambda: device.launch(kernel, 1, 32, c_uint64(memory)), "1 arguments given, 2 expected")
    refused(wv.INVALID, lambda: device.launch(nothing, 1, 2048), "block.x is 2048")
    refused(wv.INVALID, lambda: device.launch(nothing, 0, 32), "grid.x is 0")
    refused(wv.INVALID, lambda: device.launch(nothing, 1, 32, dynamic_shared_bytes=1 << 20), "shared memory")
    refused(wv.INVALID, lambda: device.launch(nothing, 1, 32, stream=9), "no stream 9")
    refused(wv.INVALID, lambda: device.call("wv_launch", nothing, None, None, 0), "NULL")
    o = wv.Options(4)
    refused(wv.INVALID, lambda: device.call("wv_launch", nothing, ctypes.byref(o), None, 0), "size")
    block = ctypes.create_string_buffer(10)
    o = wv.Options(ctypes.sizeof(o), (c_uint32 * 3)(1, 1, 1), (c_uint32 * 3)(32, 1, 1))
    refused(wv.INVALID, lambda: device.call("wv_launch_block", kernel, ctypes.byref(o), block, 10), "'factor' lies behind it")
    refused(wv.INVALID, lambda: device.elapsed_us(3, 4), "no event 3")
    refused(wv.INVALID, lambda: device.call("wv_malloc", 64, None), "NULL")
    refused(wv.INVALID, lambda: library.call("wv_time_fs", None, ctypes.byref(c_uint64())), "the device is NULL")
    refused(wv.INVALID, lambda: library.call("wv_open", None, None), "NULL")
    library.c.wv_close(None)
    device.launch(nothing, 1, 32)
    device.synchronize()
    (kernel,) = end(server, device)["kernels"]
    expect(kernel["entry"] == "nothing", kernel)


def memory():
    """Allocations that are too large, copies out of range."""
    server = Server(WARPVP)
    device = wv.Device(library, address(server))
    refused(wv.OUT_OF_MEMORY, lambda: device.malloc(3 << 30), "device memory exhausted", "3221225472 bytes")
    memory = device.malloc(1000)
    data = ctypes.create_string_buffer(2000)
    refused(wv.INVALID, lambda: device.put(memory, data), "2000 bytes at", "run past the end")
    refused(wv.INVALID, lambda: device.get(data, memory + (1 << 40)), "is not in an allocation")
    refused(wv.INVALID, lambda: device.call("wv_fill", memory, 1, 1025, 0), "run past the end")
    refused(wv.INVALID, lambda: device.free(memory + 1), "is not the start of an allocation")
    again = device.malloc(3 << 20)
    device.free(again)
    expect(device.malloc(3 << 20) == again, "what was freed is there again")
    end(server, device)


def fault():
    """A kernel that faults: the line says where, and so does every call from then on."""
    server = Server(WARPVP)
    device = wv.Device(library, address(server))
    kernel = device.kernel(device.load(source("faults.ptx"), "faults.ptx"), "out_of_bounds")
    memory = device.malloc(1024)
    device.launch(kernel, 2, 128, c_uint64(memory), c_uint64(1 << 40))
    refused(wv.DEVICE_FAULT, device.synchronize, "out-of-bounds global store", "faults.ptx")
    refused(wv.DEVICE_FAULT, lambda: device.malloc(64), "out-of-bounds global store")
    expect(end(server, device, status=3)["exit_code"] == 3, "the server says so too")


def killed():
    """A server that is killed under a program in C, and under one in Python."""
    server = Server(WARPVP)
    device = wv.Device(library, address(server))
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    refused(wv.DEVICE_GONE, lambda: device.malloc(64), "the device's server has gone")
    refused(wv.DEVICE_GONE, device.synchronize, "the device's server has gone")
    device.close()


def several():
    """Two clients at once, each with its part of the device; a fault of one ends it alone."""
    server = Server(WARPVP, "platform.host.clients=2")
    devices = [wv.Device(library, address(server)) for _ in range(2)]
    count = 256
    for factor, device in enumerate(devices, 2):
        kernel = device.kernel(device.load(source("saxpy.ptx")))
        x, y = device.malloc(4 * count), device.malloc(4 * count)
        data = (c_float * count)(*range(count))
        device.put(x, data)
        device.call("wv_fill", y, 0, 4 * count, 0)
        saxpy(device, kernel, float(factor), x, y, count)
        device.get(data, y)
        device.synchronize()
        expect(list(data) == [factor * i for i in range(count)], f"y = {factor} x")
    kernel = devices[0].kernel(devices[0].load(source("faults.ptx"), "faults.ptx"), "out_of_bounds")
    devices[0].launch(kernel, 2, 128, c_uint64(devices[0].malloc(1024)), c_uint64(1 << 40))
    refused(wv.DEVICE_FAULT, devices[0].synchronize, "out-of-bounds global store")
    devices[1].get(data, y)
    devices[1].synchronize()
    expect(data[7] == 21.0, "the other one goes on")
    end(server, *devices)


def nobody():
    """Devices that are not there, and addresses that are none."""
    where = os.path.join(WORK, "no.sock")
    for name in ("vector_add", "two_streams"):
        ended = program(name, "vfio-user:" + where)
        expect(ended.returncode == 12 and ended.stderr ==
               f"error 2: no device is served at {where}: No such file or directory\n", ended)
    refused(wv.NO_DEVICE, lambda: wv.Device(library, where), "allowed: vfio-user:SOCKET, driver:DEVICE_FILE, pci:FUNCTION")
    refused(wv.NO_DEVICE, lambda: wv.Device(library, "driver:/dev/null"), "is no device file of a driver of this version")


def exports():
    """The library has the calls of its header and nothing else, and needs the C library alone."""
    text = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    names = {line.split()[2].split("@")[0] for line in text.splitlines()} - {"WARPVP_RUNTIME_1"}
    with open(os.path.join(HERE, "../../sw/runtime/c/warpvp_runtime.h")) as file:
        declared = {word.split("(")[0].lstrip("*") for line in file if line.startswith("WV_API")
                    for word in line.split() if word.lstrip("*").startswith("wv_") and "(" in word}
    expect(names == declared, f"{sorted(names ^ declared)}")
    dynamic = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "NEEDED" in line]
    expect({name.split(".so")[0] for name in needed} <= {"libc", "libm", "ld-linux-x86-64", "libgcc_s"}, needed)
    expect("soname: [libwarpvp-runtime.so.1]" in dynamic, "the soname")


def streams():
    """A stream that was destroyed serves again, and cannot be used meanwhile."""
    server = Server(WARPVP)
    device = wv.Device(library, address(server))
    first = device.stream(priority=3)
    device.call("wv_destroy_stream", first)
    refused(wv.INVALID, lambda: device.synchronize(first), f"stream {first} was destroyed")
    refused(wv.INVALID, lambda: device.call("wv_destroy_stream", 0), "stream 0 stays")
    refused(wv.INVALID, lambda: device.call("wv_destroy_stream", 5), "no stream 5")
    expect(device.stream(priority=2) != first and device.stream(priority=3) == first, "of the same priority")
    device.call("wv_set_priority", first, 7)
    device.call("wv_destroy_stream", first)
    expect(device.stream(priority=7) == first, "of its last priority")
    end(server, device)


CASES = {name: case for name, case in list(globals().items())
         if callable(case) and getattr(case, "__module__", "") == __name__
         and name not in ("address", "program", "refused", "end", "source", "saxpy")}

try:
    CASES[CASE]()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
