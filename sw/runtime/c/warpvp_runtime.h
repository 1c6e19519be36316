/* libwarpvp-runtime: the runtime of warpvp's GPU for programs of any language, at a device that another
 * process serves
 * (`warpvp serve`, docs/serve.md). Plain C.
 *
 * Calls return WV_OK or another status; wv_last_error() then has one line that says where and what is wrong.
 * A device may be used by several threads; its calls are carried out one at a time. Streams, modules, kernels
 * and events belong to their device and go with it. Stream 0 is there from the start.
 *
 * What is put into a stream is carried out in order; calls that put return at once, and memory of the program
 * that they name must stay until the stream has passed them (wv_synchronize).
 */
#ifndef WARPVP_RUNTIME_H
#define WARPVP_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WV_VERSION_MAJOR 1
#define WV_VERSION_MINOR 0

#if defined(__GNUC__)
#define WV_API __attribute__((visibility("default")))
#else
#define WV_API
#endif

typedef enum wv_status {
  WV_OK = 0,
  WV_ERROR_INVALID = 1,       /* a wrong argument, or a call that does not fit: nothing was done */
  WV_ERROR_NO_DEVICE = 2,     /* nobody serves there, or another version */
  WV_ERROR_OUT_OF_MEMORY = 3, /* of the device */
  WV_ERROR_BAD_MODULE = 4,    /* PTX that is refused; the message has file, line and column */
  WV_ERROR_DEVICE_FAULT =
      5, /* a kernel or queue of this program has faulted; the device is of no more use to it */
  WV_ERROR_DEVICE_GONE = 6, /* the server has ended, or closed the connection */
  WV_ERROR_REFUSED = 7,     /* the device or its driver has refused an access */
  WV_ERROR_INTERNAL = 8
} wv_status;

typedef struct wv_device wv_device;
typedef uint64_t wv_ptr; /* an address in device memory */
typedef uint32_t wv_stream;
typedef uint32_t wv_event;
typedef uint32_t wv_module;
typedef uint64_t wv_kernel;

/* The last error of the calling thread: one line, until its next call. Never NULL. */
WV_API const char* wv_last_error(void);
/* Of the library: "0.2.0". */
WV_API const char* wv_version(void);

/* ---- Devices */

/* "vfio-user:/tmp/gpu.sock", a socket of `warpvp serve`; "driver:/dev/warpvp0", a device file of the Linux
 * driver; "pci:0000:00:04.0", a function that is bound to vfio-pci behind an IOMMU. With ",interrupts" behind
 * the last two the program sleeps until the device interrupts. */
WV_API wv_status wv_open(const char* address, wv_device** device);
/* Waits for nothing; what is under way is dropped. NULL is passed over. */
WV_API void wv_close(wv_device* device);

/* `size` is set by the caller to sizeof(wv_properties): a library that has more fields fills those alone. */
typedef struct wv_properties {
  size_t size;
  char name[64];
  uint32_t compute_capability; /* 70: 7.0 */
  uint32_t sms, warps_per_sm, threads_per_cta, registers_per_sm;
  uint32_t shared_bytes_per_sm, shared_bytes_per_cta;
  uint32_t copy_engines;
  uint64_t memory_bytes, memory_in_use, l2_bytes;
  double sm_clock_mhz;
} wv_properties;
WV_API wv_status wv_get_properties(wv_device* device, wv_properties* properties);
/* Simulated time in femtoseconds. */
WV_API wv_status wv_time_fs(wv_device* device, uint64_t* time);

/* ---- Memory */

WV_API wv_status wv_malloc(wv_device* device, size_t bytes, wv_ptr* pointer);
/* Waits for all streams. 0 is passed over. */
WV_API wv_status wv_free(wv_device* device, wv_ptr pointer);
WV_API wv_status wv_copy_to_device(wv_device* device, wv_ptr destination, const void* source, size_t bytes,
                                   wv_stream stream);
WV_API wv_status wv_copy_to_host(wv_device* device, void* destination, wv_ptr source, size_t bytes,
                                 wv_stream stream);
WV_API wv_status wv_copy_on_device(wv_device* device, wv_ptr destination, wv_ptr source, size_t bytes,
                                   wv_stream stream);
WV_API wv_status wv_fill(wv_device* device, wv_ptr destination, uint8_t value, size_t bytes,
                         wv_stream stream);

/* ---- Kernels */

/* PTX text; `name` stands for its file in messages. */
WV_API wv_status wv_load_module(wv_device* device, const char* name, const char* ptx, size_t bytes,
                                wv_module* module);
/* `entry` may be NULL where the module has one kernel only. What is wrong in a kernel's body is told here. */
WV_API wv_status wv_get_kernel(wv_device* device, wv_module module, const char* entry, wv_kernel* kernel);
/* A .global or .const variable; `bytes` may be NULL. */
WV_API wv_status wv_get_symbol(wv_device* device, wv_module module, const char* name, wv_ptr* pointer,
                               size_t* bytes);

typedef struct wv_parameter {
  size_t offset, bytes; /* in the argument block */
} wv_parameter;
/* `*count` is the room in `parameters` and becomes the number that there are; more than fit are left out. */
WV_API wv_status wv_get_parameters(wv_device* device, wv_kernel kernel, wv_parameter* parameters,
                                   size_t* count);

/* Zeros are defaults but for grid and block; WV_LAUNCH sets `size`. */
typedef struct wv_launch_options {
  size_t size;
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared_bytes;
  wv_stream stream;
  uint32_t budget;      /* of QoS-aware warp scheduling; 0: 1 */
  uint64_t deadline_us; /* from the call; 0: none */
  double expected_us;   /* that it takes alone; 0: not known */
  const char* name;     /* in results; NULL: the kernel's */
} wv_launch_options;
#define WV_LAUNCH(gx, bx) \
  { sizeof(wv_launch_options), {(gx), 1, 1}, {(bx), 1, 1}, 0, 0, 0, 0, 0.0, NULL }

/* `arguments[i]` points to the value of parameter i, `count` of them. */
WV_API wv_status wv_launch(wv_device* device, wv_kernel kernel, const wv_launch_options* options,
                           const void* const* arguments, size_t count);
/* The same with one block of arguments, laid out as wv_get_parameters says. */
WV_API wv_status wv_launch_block(wv_device* device, wv_kernel kernel, const wv_launch_options* options,
                                 const void* block, size_t bytes);

/* ---- Streams and events */

/* `priority`: greater is more urgent. `name`, for results, may be NULL. */
WV_API wv_status wv_create_stream(wv_device* device, int32_t priority, const char* name, wv_stream* stream);
WV_API wv_status wv_set_priority(wv_device* device, wv_stream stream, int32_t priority);
/* Waits for the stream. */
WV_API wv_status wv_destroy_stream(wv_device* device, wv_stream stream);
/* Until all that was put into the stream is done. */
WV_API wv_status wv_synchronize(wv_device* device, wv_stream stream);
WV_API wv_status wv_synchronize_all(wv_device* device);

/* An event of what has been put into the stream by now. */
WV_API wv_status wv_record(wv_device* device, wv_stream stream, wv_event* event);
/* The stream goes on when the event has come; the program does at once. */
WV_API wv_status wv_wait(wv_device* device, wv_stream stream, wv_event event);
WV_API wv_status wv_synchronize_event(wv_device* device, wv_event event);
/* Simulated time between two events that have come. */
WV_API wv_status wv_elapsed_us(wv_device* device, wv_event from, wv_event to, double* us);

#ifdef __cplusplus
}
#endif

#endif
