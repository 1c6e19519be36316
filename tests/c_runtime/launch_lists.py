"""The launches of the programs in examples/c_client as launch lists, to be run inside the simulator."""

import json
import os
import subprocess

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../sw/kernels")

LISTS = {
    "vector_add": """
  buffers:
    a: {type: f32, count: 4096, init: zero}
    b: {type: f32, count: 4096, init: zero}
    c: {type: f32, count: 4096, init: zero}
  launches:
    - {ptx: KERNELS/vector_add.ptx, entry: vector_add, grid: [16], block: [256],
       args: [{buffer: a}, {buffer: b}, {buffer: c}, {u32: 4096}]}
""",
    "reduction": """
  buffers:
    in: {type: f32, count: 8192, init: zero}
    partial: {type: f32, count: 8, init: zero}
  launches:
    - {ptx: KERNELS/reduction.ptx, entry: reduce_sum, grid: [8], block: [256],
       args: [{buffer: in}, {buffer: partial}, {u32: 8192}]}
""",
    "two_streams": """
  buffers:
    x: {type: f32, count: 4096, init: zero}
    y: {type: f32, count: 4096, init: zero}
    z: {type: f32, count: 4096, init: zero}
  launches:
""" + "".join(f"""
    - {{ptx: KERNELS/saxpy.ptx, entry: saxpy, grid: [32], block: [128], stream: {stream}, priority: {stream},
       args: [{{f32: {factor}}}, {{buffer: x}}, {{buffer: {to}}}, {{u32: 4096}}]}}"""
              for stream, factor, to in ((0, 2, "y"), (1, 3, "z"), (0, 4, "y"), (1, 5, "z"))) + "\n"}


def kernels_inside(warpvp, name, work, *settings):
    """Kernels of a run of that list on `small`, as result.json has them."""
    file, out = (os.path.join(work, name + ending) for ending in (".yaml", ""))
    with open(file, "w") as f:
        f.write("platform: small\nworkload:" + LISTS[name].replace("KERNELS", KERNELS))
    words = [warpvp, "run", file, "--quiet", "--out", out]
    for setting in settings:
        words += ["--set", setting]
    subprocess.run(words, check=True)
    with open(os.path.join(out, "result.json")) as result:
        return json.load(result)["kernels"]
