"""libwarpvp-runtime.so in Python, by its header sw/runtime/c/warpvp_runtime.h: what a foreign language needs of it."""

import ctypes
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

(OK, INVALID, NO_DEVICE, OUT_OF_MEMORY, BAD_MODULE, DEVICE_FAULT, DEVICE_GONE, REFUSED, INTERNAL) = range(9)


class Error(Exception):
    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status, self.text = status, text


class Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("dynamic_shared_bytes", c_uint32),
                ("stream", c_uint32), ("budget", c_uint32), ("deadline_us", c_uint64), ("expected_us", c_double),
                ("name", c_char_p)]


class Properties(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char * 64), ("compute_capability", c_uint32), ("sms", c_uint32),
                ("warps_per_sm", c_uint32), ("threads_per_cta", c_uint32), ("registers_per_sm", c_uint32),
                ("shared_bytes_per_sm", c_uint32), ("shared_bytes_per_cta", c_uint32), ("copy_engines", c_uint32),
                ("memory_bytes", c_uint64), ("memory_in_use", c_uint64), ("l2_bytes", c_uint64), ("sm_clock_mhz", c_double)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.wv_last_error.restype = self.c.wv_version.restype = c_char_p
        for name, types in {
                "wv_open": [c_char_p, POINTER(c_void_p)], "wv_close": [c_void_p],
                "wv_get_properties": [c_void_p, POINTER(Properties)], "wv_time_fs": [c_void_p, POINTER(c_uint64)],
                "wv_malloc": [c_void_p, c_size_t, POINTER(c_uint64)], "wv_free": [c_void_p, c_uint64],
                "wv_copy_to_device": [c_void_p, c_uint64, c_void_p, c_size_t, c_uint32],
                "wv_copy_to_host": [c_void_p, c_void_p, c_uint64, c_size_t, c_uint32],
                "wv_copy_on_device": [c_void_p, c_uint64, c_uint64, c_size_t, c_uint32],
                "wv_fill": [c_void_p, c_uint64, c_uint8, c_size_t, c_uint32],
                "wv_load_module": [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_uint32)],
                "wv_get_kernel": [c_void_p, c_uint32, c_char_p, POINTER(c_uint64)],
                "wv_get_symbol": [c_void_p, c_uint32, c_char_p, POINTER(c_uint64), POINTER(c_size_t)],
                "wv_launch": [c_void_p, c_uint64, POINTER(Options), POINTER(c_void_p), c_size_t],
                "wv_launch_block": [c_void_p, c_uint64, POINTER(Options), c_void_p, c_size_t],
                "wv_create_stream": [c_void_p, c_int32, c_char_p, POINTER(c_uint32)],
                "wv_set_priority": [c_void_p, c_uint32, c_int32], "wv_destroy_stream": [c_void_p, c_uint32],
                "wv_synchronize": [c_void_p, c_uint32], "wv_synchronize_all": [c_void_p],
                "wv_record": [c_void_p, c_uint32, POINTER(c_uint32)], "wv_wait": [c_void_p, c_uint32, c_uint32],
                "wv_synchronize_event": [c_void_p, c_uint32],
                "wv_elapsed_us": [c_void_p, c_uint32, c_uint32, POINTER(c_double)]}.items():
            getattr(self.c, name).argtypes = types

    def call(self, name, *arguments):
        status = getattr(self.c, name)(*arguments)
        if status != OK:
            raise Error(status, self.c.wv_last_error().decode())

    def version(self):
        return self.c.wv_version().decode()


class Device:
    """A device; calls that fail raise Error."""

    def __init__(self, library, address):
        self.library, self.handle = library, c_void_p()
        library.call("wv_open", address.encode(), byref(self.handle))

    def call(self, name, *arguments):
        self.library.call(name, self.handle, *arguments)

    def _out(self, kind, name, *arguments):
        value = kind()
        self.call(name, *arguments, byref(value))
        return value.value

    def close(self):
        self.library.c.wv_close(self.handle)
        self.handle = c_void_p()

    def properties(self):
        properties = Properties()
        properties.size = ctypes.sizeof(properties)
        self.call("wv_get_properties", byref(properties))
        return properties

    def time_fs(self):
        return self._out(c_uint64, "wv_time_fs")

    def malloc(self, size):
        return self._out(c_uint64, "wv_malloc", size)

    def free(self, pointer):
        self.call("wv_free", pointer)

    def put(self, pointer, data, stream=0):
        """`data`: a ctypes array."""
        self.call("wv_copy_to_device", pointer, ctypes.cast(data, c_void_p), ctypes.sizeof(data), stream)

    def get(self, data, pointer, stream=0):
        self.call("wv_copy_to_host", ctypes.cast(data, c_void_p), pointer, ctypes.sizeof(data), stream)

    def load(self, text, name="module.ptx"):
        return self._out(c_uint32, "wv_load_module", name.encode(), text.encode(), len(text.encode()))

    def kernel(self, module, entry=None):
        return self._out(c_uint64, "wv_get_kernel", module, entry and entry.encode())

    def symbol(self, module, name):
        pointer, size = c_uint64(), c_size_t()
        self.call("wv_get_symbol", module, name.encode(), byref(pointer), byref(size))
        return pointer.value, size.value

    def stream(self, priority=0, name=None):
        return self._out(c_uint32, "wv_create_stream", priority, name and name.encode())

    def launch(self, kernel, grid, block, *arguments, stream=0, **options):
        """Arguments are ctypes values."""
        o = Options(ctypes.sizeof(Options), (c_uint32 * 3)(grid, 1, 1), (c_uint32 * 3)(block, 1, 1), stream=stream, **options)
        pointers = (c_void_p * max(len(arguments), 1))(*(ctypes.cast(byref(a), c_void_p) for a in arguments))
        self.call("wv_launch", kernel, byref(o), pointers, len(arguments))

    def synchronize(self, stream=None):
        self.call("wv_synchronize_all") if stream is None else self.call("wv_synchronize", stream)

    def record(self, stream):
        return self._out(c_uint32, "wv_record", stream)

    def elapsed_us(self, begin, end):
        return self._out(c_double, "wv_elapsed_us", begin, end)
