// The C face of the runtime: each call is one of rt::Runtime's, with exceptions made into codes and a line of
// text.
#include "sw/runtime/c/warpvp_runtime.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "sw/runtime/c/remote_device.h"

namespace rt = warpvp::rt;

struct wv_device {
  explicit wv_device(const std::string& address) : remote(address) {}
  rt::Runtime& runtime() { return remote.runtime(); }

  /// A stream of the runtime stays when it is destroyed here, and serves again.
  struct Stream {
    std::int32_t priority = 0;
    bool destroyed = false;
  };

  std::mutex mutex;
  rt::RemoteDevice remote;
  std::vector<Stream> streams = {{}};
  wv_status failure = WV_OK;  ///< of the link; what is called from then on fails likewise
  std::string failure_text;
};

namespace {

thread_local std::string last_error;

wv_status set_error(wv_status status, const std::string& text) {
  last_error = text;
  std::replace(last_error.begin(), last_error.end(), '\n', ' ');
  return status;
}

/// The status of the exception that is being handled; `wrong` is that of wrong input.
wv_status status_of_exception(wv_status wrong) {
  try {
    throw;
  } catch (const rt::DeviceMemoryExhausted& error) {
    return set_error(WV_ERROR_OUT_OF_MEMORY, error.what());
  } catch (const warpvp::InputError& error) {
    return set_error(wrong, error.what());
  } catch (const rt::TransportError& error) {
    switch (error.why) {
      case rt::TransportError::Why::kDeviceFault:
        return set_error(WV_ERROR_DEVICE_FAULT, error.what());
      case rt::TransportError::Why::kGone:
        return set_error(WV_ERROR_DEVICE_GONE, error.what());
      default:
        return set_error(WV_ERROR_REFUSED, error.what());
    }
  } catch (const std::bad_alloc&) {
    return set_error(WV_ERROR_INTERNAL, "the program has no more memory");
  } catch (const std::exception& error) {
    return set_error(WV_ERROR_INTERNAL, error.what());
  } catch (...) {
    return set_error(WV_ERROR_INTERNAL, "unknown error");
  }
}

/// Carries out `call` on the device's runtime. A call that the link has failed in leaves the runtime
/// somewhere in the middle: what follows is refused with the same words.
template <class Call>
wv_status with(wv_device* device, const Call& call, wv_status wrong = WV_ERROR_INVALID) {
  if (device == nullptr) return set_error(WV_ERROR_INVALID, "the device is NULL");
  const std::lock_guard<std::mutex> lock(device->mutex);
  if (device->failure != WV_OK) return set_error(device->failure, device->failure_text);
  last_error.clear();
  try {
    call(device->runtime());
    return WV_OK;
  } catch (const rt::TransportError&) {
    device->failure = status_of_exception(wrong);
    device->failure_text = last_error;
    return device->failure;
  } catch (...) {
    return status_of_exception(wrong);
  }
}

void require(bool holds, const char* what) {
  if (!holds) throw warpvp::InputError(what);
}

rt::Stream stream_of(const wv_device* device, wv_stream stream) {
  if (stream < device->streams.size() && device->streams[stream].destroyed)
    throw warpvp::InputError("stream " + std::to_string(stream) + " was destroyed");
  return rt::Stream{stream};
}

rt::Kernel kernel_of(wv_kernel kernel) {
  return {static_cast<unsigned>(kernel >> 32), static_cast<unsigned>(kernel)};
}

wv_launch_options options_of(const wv_launch_options* given) {
  require(given != nullptr, "the options of the launch are NULL");
  require(given->size >= sizeof(std::size_t) && given->size <= sizeof(wv_launch_options),
          "the options' size is not sizeof(wv_launch_options), as this library has it");
  wv_launch_options options{};
  std::memcpy(&options, given, given->size);
  return options;
}

void launch(wv_device* device, wv_kernel kernel, const wv_launch_options& o, const rt::Args& args) {
  rt::LaunchOptions options;
  options.dynamic_shared_bytes = o.dynamic_shared_bytes;
  options.budget = std::max(o.budget, 1u);
  options.deadline_us = o.deadline_us;
  options.expected_us = o.expected_us;
  if (o.name != nullptr) options.name = o.name;
  device->runtime().launch(kernel_of(kernel), {o.grid[0], o.grid[1], o.grid[2]},
                           {o.block[0], o.block[1], o.block[2]}, args, stream_of(device, o.stream), options);
}

}  // namespace

const char* wv_last_error(void) { return last_error.c_str(); }

const char* wv_version(void) { return WARPVP_VERSION; }

wv_status wv_open(const char* address, wv_device** device) {
  last_error.clear();
  if (address == nullptr || device == nullptr)
    return set_error(WV_ERROR_INVALID, "wv_open: an argument is NULL");
  *device = nullptr;
  try {
    *device = new wv_device(address);
    return WV_OK;
  } catch (...) {
    return status_of_exception(WV_ERROR_NO_DEVICE);
  }
}

void wv_close(wv_device* device) {
  try {
    delete device;
  } catch (...) {
    status_of_exception(WV_ERROR_INVALID);
  }
}

wv_status wv_get_properties(wv_device* device, wv_properties* properties) {
  return with(device, [&](rt::Runtime& runtime) {
    require(properties != nullptr && properties->size >= sizeof(std::size_t),
            "wv_get_properties: properties->size is to be sizeof(wv_properties)");
    const rt::DeviceInfo info = runtime.device_info();
    wv_properties p{};
    p.size = properties->size;
    std::strncpy(p.name, info.name.c_str(), sizeof p.name - 1);
    p.compute_capability = info.capability;
    p.sms = runtime.sm_count();
    p.warps_per_sm = info.sm.warps;
    p.threads_per_cta = info.sm.threads_per_cta;
    p.registers_per_sm = info.sm.registers;
    p.shared_bytes_per_sm = info.sm.shared_bytes;
    p.shared_bytes_per_cta = info.sm.shared_bytes_per_cta;
    p.copy_engines = info.copy_engines;
    p.memory_bytes = info.memory_bytes;
    p.memory_in_use = info.memory_in_use;
    p.l2_bytes = info.l2_bytes;
    p.sm_clock_mhz = runtime.sm_clock_mhz();
    std::memcpy(properties, &p, std::min(properties->size, sizeof p));
  });
}

wv_status wv_time_fs(wv_device* device, uint64_t* time) {
  return with(device, [&](rt::Runtime& runtime) {
    require(time != nullptr, "wv_time_fs: time is NULL");
    *time = runtime.host().now().fs();
  });
}

wv_status wv_malloc(wv_device* device, size_t bytes, wv_ptr* pointer) {
  return with(device, [&](rt::Runtime& runtime) {
    require(pointer != nullptr, "wv_malloc: pointer is NULL");
    *pointer = runtime.malloc(bytes);
  });
}

wv_status wv_free(wv_device* device, wv_ptr pointer) {
  return with(device, [&](rt::Runtime& runtime) { runtime.free(pointer); });
}

wv_status wv_copy_to_device(wv_device* device, wv_ptr destination, const void* source, size_t bytes,
                            wv_stream stream) {
  return with(device, [&](rt::Runtime& runtime) {
    require(source != nullptr || bytes == 0, "wv_copy_to_device: source is NULL");
    runtime.copy_to_device_async(destination, source, bytes, stream_of(device, stream));
  });
}

wv_status wv_copy_to_host(wv_device* device, void* destination, wv_ptr source, size_t bytes,
                          wv_stream stream) {
  return with(device, [&](rt::Runtime& runtime) {
    require(destination != nullptr || bytes == 0, "wv_copy_to_host: destination is NULL");
    runtime.copy_to_host_async(destination, source, bytes, stream_of(device, stream));
  });
}

wv_status wv_copy_on_device(wv_device* device, wv_ptr destination, wv_ptr source, size_t bytes,
                            wv_stream stream) {
  return with(device, [&](rt::Runtime& runtime) {
    runtime.copy_on_device_async(destination, source, bytes, stream_of(device, stream));
  });
}

wv_status wv_fill(wv_device* device, wv_ptr destination, uint8_t value, size_t bytes, wv_stream stream) {
  return with(device, [&](rt::Runtime& runtime) {
    runtime.memset_async(destination, value, bytes, stream_of(device, stream));
  });
}

wv_status wv_load_module(wv_device* device, const char* name, const char* ptx, size_t bytes,
                         wv_module* module) {
  return with(
      device,
      [&](rt::Runtime& runtime) {
        require(ptx != nullptr && module != nullptr, "wv_load_module: an argument is NULL");
        *module = runtime.load_module_text(name == nullptr ? "module" : name, std::string(ptx, bytes)).id;
      },
      WV_ERROR_BAD_MODULE);
}

wv_status wv_get_kernel(wv_device* device, wv_module module, const char* entry, wv_kernel* kernel) {
  return with(
      device,
      [&](rt::Runtime& runtime) {
        require(kernel != nullptr, "wv_get_kernel: kernel is NULL");
        const rt::Kernel found = runtime.kernel(rt::ModuleHandle{module}, entry == nullptr ? "" : entry);
        *kernel = std::uint64_t{found.module} << 32 | found.entry;
      },
      WV_ERROR_BAD_MODULE);
}

wv_status wv_get_symbol(wv_device* device, wv_module module, const char* name, wv_ptr* pointer,
                        size_t* bytes) {
  return with(device, [&](rt::Runtime& runtime) {
    require(name != nullptr && pointer != nullptr, "wv_get_symbol: an argument is NULL");
    *pointer = runtime.symbol(rt::ModuleHandle{module}, name);
    if (bytes != nullptr) *bytes = runtime.symbol_bytes(rt::ModuleHandle{module}, name);
  });
}

wv_status wv_get_parameters(wv_device* device, wv_kernel kernel, wv_parameter* parameters, size_t* count) {
  return with(device, [&](rt::Runtime& runtime) {
    require(count != nullptr && (parameters != nullptr || *count == 0),
            "wv_get_parameters: an argument is NULL");
    const std::vector<rt::ParameterInfo> all = runtime.parameters(kernel_of(kernel));
    for (std::size_t i = 0; i < std::min(all.size(), *count); ++i)
      parameters[i] = {all[i].offset, all[i].bytes};
    *count = all.size();
  });
}

wv_status wv_launch(wv_device* device, wv_kernel kernel, const wv_launch_options* options,
                    const void* const* arguments, size_t count) {
  return with(device, [&](rt::Runtime& runtime) {
    const wv_launch_options o = options_of(options);
    const std::vector<rt::ParameterInfo> parameters = runtime.parameters(kernel_of(kernel));
    if (count != parameters.size())
      throw warpvp::InputError("wv_launch: " + std::to_string(count) + " arguments given, " +
                               std::to_string(parameters.size()) + " expected");
    rt::Args args;
    for (std::size_t i = 0; i < count; ++i) {
      require(arguments != nullptr && arguments[i] != nullptr, "wv_launch: an argument is NULL");
      args.add(arguments[i], parameters[i].bytes);
    }
    launch(device, kernel, o, args);
  });
}

wv_status wv_launch_block(wv_device* device, wv_kernel kernel, const wv_launch_options* options,
                          const void* block, size_t bytes) {
  return with(device, [&](rt::Runtime& runtime) {
    const wv_launch_options o = options_of(options);
    require(block != nullptr || bytes == 0, "wv_launch_block: block is NULL");
    rt::Args args;
    for (const rt::ParameterInfo& parameter : runtime.parameters(kernel_of(kernel))) {
      if (parameter.offset > bytes || parameter.bytes > bytes - parameter.offset)
        throw warpvp::InputError("wv_launch_block: a block of " + std::to_string(bytes) +
                                 " bytes given, parameter '" + parameter.name + "' lies behind it");
      args.add(static_cast<const unsigned char*>(block) + parameter.offset, parameter.bytes);
    }
    launch(device, kernel, o, args);
  });
}

wv_status wv_create_stream(wv_device* device, int32_t priority, const char* name, wv_stream* stream) {
  return with(device, [&](rt::Runtime& runtime) {
    require(stream != nullptr, "wv_create_stream: stream is NULL");
    const auto unused = std::find_if(device->streams.begin(), device->streams.end(), [&](const auto& s) {
      return s.destroyed && s.priority == priority && name == nullptr;
    });
    if (unused != device->streams.end()) {
      unused->destroyed = false;
      *stream = static_cast<wv_stream>(unused - device->streams.begin());
      return;
    }
    rt::StreamOptions options;
    options.priority = priority;
    if (name != nullptr) options.name = name;
    *stream = runtime.create_stream(options).id;
    device->streams.push_back({priority, false});
  });
}

wv_status wv_set_priority(wv_device* device, wv_stream stream, int32_t priority) {
  return with(device, [&](rt::Runtime& runtime) {
    runtime.set_priority(stream_of(device, stream), priority);
    device->streams[stream].priority = priority;
  });
}

wv_status wv_destroy_stream(wv_device* device, wv_stream stream) {
  return with(device, [&](rt::Runtime& runtime) {
    require(stream != 0, "wv_destroy_stream: stream 0 stays");
    runtime.synchronize(stream_of(device, stream));
    device->streams[stream].destroyed = true;
  });
}

wv_status wv_synchronize(wv_device* device, wv_stream stream) {
  return with(device, [&](rt::Runtime& runtime) {
    runtime.synchronize(stream_of(device, stream));
    device->remote.check_fault();
  });
}

wv_status wv_synchronize_all(wv_device* device) {
  return with(device, [&](rt::Runtime& runtime) {
    runtime.synchronize();
    device->remote.check_fault();
  });
}

wv_status wv_record(wv_device* device, wv_stream stream, wv_event* event) {
  return with(device, [&](rt::Runtime& runtime) {
    require(event != nullptr, "wv_record: event is NULL");
    *event = runtime.record(stream_of(device, stream)).id;
  });
}

wv_status wv_wait(wv_device* device, wv_stream stream, wv_event event) {
  return with(device,
              [&](rt::Runtime& runtime) { runtime.wait(stream_of(device, stream), rt::Event{event}); });
}

wv_status wv_synchronize_event(wv_device* device, wv_event event) {
  return with(device, [&](rt::Runtime& runtime) {
    runtime.synchronize(rt::Event{event});
    device->remote.check_fault();
  });
}

wv_status wv_elapsed_us(wv_device* device, wv_event from, wv_event to, double* us) {
  return with(device, [&](rt::Runtime& runtime) {
    require(us != nullptr, "wv_elapsed_us: us is NULL");
    *us = runtime.elapsed_us(rt::Event{from}, rt::Event{to});
  });
}
