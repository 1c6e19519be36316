#!/usr/bin/env python3
"""Boots stock QEMU with Debian's kernel and the served GPU in it, loads the driver of examples/driver, runs the programs
of examples/c_client over the runtime's library, and compares results and simulated times with those of native programs (docs/serve.md).

usage: run.py BUILD FOLDER [QEMU_ROOT]
BUILD has warpvp and the programs; FOLDER is for what is made here; QEMU_ROOT is the root of another Debian release that
has a QEMU, made by debootstrap. Exit status 0: as expected; 1: not; 2: QEMU or the kernel's headers are not there.
"""

import glob
import lzma
import os
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(HERE, "../vfio_user")]

from build_driver import build_driver, kernel_version  # noqa: E402
from served import WORK, Server, expect  # noqa: E402

BUILD, FOLDER = (os.path.abspath(word) for word in sys.argv[1:3])
ROOT = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3] else ""
WARPVP = os.path.join(BUILD, "warpvp")
NEEDED = (10, 1)  # the first QEMU with a vfio-user client
PROGRAMS = ("vector_add", "reduction", "two_streams")
PATIENCE = 400  # seconds for the whole guest, which is emulated


def give_up(line):
    print(f"qemu-test: {line}", file=sys.stderr)
    sys.exit(2)


def run(*words, **options):
    ended = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    expect(ended.returncode == 0, f"{' '.join(map(str, words))}:\n{ended.stdout}")
    return ended.stdout


def qemu_command():
    """QEMU as it is called here: that of the system, or of another release by that one's own loader."""
    name = "qemu-system-x86_64"
    if not ROOT:
        return [name] if shutil.which(name) else None
    program = os.path.join(ROOT, "usr/bin", name)
    if not os.path.exists(program):
        return None
    libraries = [os.path.join(ROOT, folder) for folder in ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu",
                                                           "usr/lib/x86_64-linux-gnu/pulseaudio")]
    data = [word for folder in ("usr/share/qemu", "usr/share/seabios") for word in ("-L", os.path.join(ROOT, folder))]
    return [os.path.join(ROOT, "lib64/ld-linux-x86-64.so.2"), "--library-path", ":".join(libraries), program] + data


def check_qemu():
    command = qemu_command()
    wanted = "QEMU 10.1 or later is needed (vfio-user); docs/serve.md says how to get one"
    if command is None:
        give_up(f"there is no qemu-system-x86_64{' in ' + ROOT if ROOT else ''}: {wanted}")
    said = subprocess.run(command + ["--version"], capture_output=True, text=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", said)
    if not found or tuple(map(int, found.groups())) < NEEDED:
        give_up(f"QEMU here is {'.'.join(found.groups()) if found else 'of no known version'}: {wanted}")
    return command


def kernel_image(version):
    """Debian's own, taken out of its package with its modules; nothing is installed."""
    place = os.path.join(FOLDER, "kernel")
    images = [os.path.join(place, path) for path in (f"boot/vmlinuz-{version}", f"usr/lib/modules/{version}/vmlinuz")]
    if not any(map(os.path.exists, images)):
        os.makedirs(place, exist_ok=True)
        # Newer Debians have the kernel and its modules in packages beside.
        parts = re.findall(rf"Depends: (linux-(?:base|binary|modules)-{re.escape(version)})\n",
                           run("apt-cache", "depends", f"linux-image-{version}"))
        run("apt-get", "download", f"linux-image-{version}", *parts, cwd=FOLDER)
        for package in glob.glob(os.path.join(FOLDER, "linux-*.deb")):
            run("dpkg-deb", "-x", package, place)
            os.remove(package)
        if not os.path.exists(os.path.join(place, "lib")):
            os.symlink("usr/lib", os.path.join(place, "lib"))
    return next(filter(os.path.exists, images))


def vfio_modules(version):
    """Those of VFIO, in the order in which they are loaded."""
    root = os.path.join(FOLDER, "kernel")
    run("/sbin/depmod", "-b", root, version)
    folder = os.path.join(root, "lib/modules", version)
    with open(os.path.join(folder, "modules.dep")) as file:
        needs = {os.path.basename(line.split(":")[0]).split(".ko")[0]: line.replace(":", "").split() for line in file}
    ordered = []
    for name in ("vfio_iommu_type1", "vfio-pci"):
        for path in reversed(needs[name]):
            if path not in ordered:
                ordered.append(path)
    return [os.path.join(folder, path) for path in ordered]


def libraries_of(program):
    """What the guest's programs need, by the path under which their loader looks."""
    for line in run("ldd", program).splitlines():
        found = re.search(r"(?:=> )?(/\S+) \(0x", line)
        if found:
            yield found.group(1)


def initial_files(version, module):
    """The guest's whole file system, packed."""
    root = os.path.join(FOLDER, "initramfs")
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("bin", "proc", "sys", "dev", "kernels", "lib64"):
        os.makedirs(os.path.join(root, folder))
    shutil.copy("/bin/busybox", os.path.join(root, "bin"))
    shutil.copy(os.path.join(HERE, "init"), root)
    shutil.copy(module, root)
    for program in PROGRAMS + ("fault",):
        shutil.copy(os.path.join(BUILD, "tests/c_runtime", program), os.path.join(root, "bin"))
    for library in {path for program in PROGRAMS for path in libraries_of(os.path.join(root, "bin", program))}:
        place = root + (library if not library.startswith(BUILD) else "/lib/" + os.path.basename(library))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(os.path.realpath(library), place)
    for kernel in ("vector_add", "reduction", "saxpy", "faults"):
        shutil.copy(os.path.join(SOURCE, "sw/kernels", kernel + ".ptx"), os.path.join(root, "kernels"))
    with open(os.path.join(root, "programs"), "w") as file:
        file.writelines(f"{program}\n" for program in PROGRAMS)
    with open(os.path.join(root, "modules"), "w") as file:
        for place in vfio_modules(version):
            name = os.path.basename(place)
            if name.endswith(".xz"):
                name = name[:-3]
                with open(os.path.join(root, name), "wb") as to:
                    to.write(lzma.open(place).read())
            else:
                shutil.copy(place, root)
            file.write(f"/{name}\n")
    packed = os.path.join(FOLDER, "initramfs.gz")
    run("sh", "-c", f"cd '{root}' && find . | cpio -o -H newc --quiet | gzip -1 > '{packed}'")
    return packed


def boot(qemu, image, files, socket, word=""):
    """What the guest writes to its console; `word` on its kernel's command line."""
    device = f'{{"driver":"vfio-user-pci","socket":{{"type":"unix","path":"{socket}"}},"x-msg-timeout":{PATIENCE * 1000}}}'
    line, iommu = "console=ttyS0 panic=-1 quiet " + word, []
    if word:
        iommu = ["-device", "intel-iommu,intremap=on,caching-mode=on"]
        line += " intel_iommu=on"
    words = qemu + [
        "-accel", "tcg", "-machine", "q35,memory-backend=ram", "-object", "memory-backend-memfd,id=ram,size=512M,share=on", "-m", "512M",
        "-smp", "1", "-nographic", "-nodefaults", "-no-reboot", "-serial", "stdio", "-kernel", image, "-initrd", files,
        "-append", line] + iommu + ["-device", device]
    environment = dict(os.environ)
    if ROOT:
        environment["QEMU_MODULE_DIR"] = os.path.join(ROOT, "usr/lib/x86_64-linux-gnu/qemu")
    log = os.path.join(FOLDER, f"console{word}.txt")
    with open(log, "w") as console:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, env=environment)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
    with open(log, errors="replace") as console:
        said = console.read().replace("\r", "")
    expect("\nDONE\n" in said, f"the guest has not come to its end: {said[-3000:]}")
    for bad in ("BUG:", "WARNING:", "Call Trace", "DMAR: DRHD: handling fault", "FAILED"):
        expect(bad not in said, said)
    return said


def kernels_outside():
    """Those of the same programs, native, at one server after the other."""
    server = Server(WARPVP, "platform.host.ends=never")
    for program in PROGRAMS:
        run(os.path.join(BUILD, "tests/c_runtime", program), "vfio-user:" + server.socket, os.path.join(SOURCE, "sw/kernels"))
    server.interrupt()
    server.wait()
    return server.result()["kernels"]


def check_kernels(native, guest):
    """Paced, kernels take the cycles that they take for native programs, but for what copies in pieces and a driver's
    own accesses leave in caches and DRAM."""
    for a, b in zip(native, guest):
        expect((a["entry"], a["warp_instructions"], a["ctas"]) == (b["entry"], b["warp_instructions"], b["ctas"]), b["entry"])
        cycles = [kernel["end_cycle"] - kernel["start_cycle"] for kernel in (a, b)]
        print(f"  {b['entry']:<12} {cycles[1]:>6} cycles in the guest, {cycles[0]:>6} of a native program")
        expect(abs(cycles[0] - cycles[1]) <= 0.1 * cycles[0], f"{b['entry']}: {cycles}")


def ended_well(said, address):
    for way in ("", ",interrupts"):
        for program in PROGRAMS:
            expect(f"ENDED {program} {address}{way} 0" in said, said)


def guest(qemu, image, files, word="", status=0):
    """What a guest says, and the kernels that the device has run in it; the server ends with that status."""
    server = Server(WARPVP)
    began = time.monotonic()
    said = boot(qemu, image, files, server.socket, word)
    print(f"{word or 'warpvp.ko'}: the guest took {time.monotonic() - began:.0f} s")
    expect(server.wait() == status, server.said())
    return said, server.result()["kernels"]


def main():
    qemu = check_qemu()
    os.makedirs(FOLDER, exist_ok=True)
    version = kernel_version()
    if version is None:
        give_up("there are no headers of Debian's kernel (packages.txt, group driver)")
    image = kernel_image(version)
    files = initial_files(version, build_driver(version, os.path.join(FOLDER, "source")))
    native = kernels_outside()

    said, kernels = guest(qemu, image, files, status=3)
    ended_well(said, "driver:/dev/warpvp0")
    expect(re.search(r"error 5: [^\n]*out-of-bounds global store[^\n]*\nFAULT 15\n", said), said)
    expect("STOPPED 15" in said, "a device that has stopped serves no further program")
    expect(said.count("driver:/dev/warpvp0 0\n") == 2 * len(PROGRAMS), "programs after one that was killed")
    for number in ("first", "second"):
        expect(f"ENDED {number} 0" in said, said)
    expect("REFUSED 12" in said and "no device at /dev/warpvp7: No such file or directory" in said, said)
    expect(int(re.search(r"INTERRUPTS (\d+)", said).group(1)) > 0, "interrupts have come")
    expect("UNLOADED 0 0" in said, said)
    expect(3 * len(native) + 2 <= len(kernels) <= 4 * len(native) + 3, [kernel["entry"] for kernel in kernels])
    check_kernels(native, kernels)

    said, kernels = guest(qemu, image, files, "warpvp.vfio")
    ended_well(said, re.search(r"FUNCTION (\S+)", said).group(1))
    expect("REFUSED 12" in said and "(is it bound to vfio-pci, and free?)" in said or "/dev/vfio/vfio: " in said, said)
    expect(len(kernels) == 2 * len(native), [kernel["entry"] for kernel in kernels])
    check_kernels(native, kernels)
    print(f"qemu-test: passed; {version}, {subprocess.run(qemu + ['--version'], capture_output=True, text=True).stdout.splitlines()[0]}")


try:
    main()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
