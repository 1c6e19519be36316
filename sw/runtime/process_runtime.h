#pragma once
// The Runtime as one of several processes sees it: context 0 and stream 0 are its own, all its streams have
// at least its priority, and what it has allocated is freed when it ends. So any host program, written as if
// it had the device to itself, is a process.

#include <cstdint>
#include <set>
#include <utility>

#include "sw/runtime/forwarding_runtime.h"

namespace warpvp::rt {

class ProcessRuntime : public ForwardingRuntime {
 public:
  struct Traffic {
    std::uint64_t copies_to_device = 0, copies_to_host = 0;
    std::uint64_t bytes_to_device = 0, bytes_to_host = 0;
  };

  /// `context` was created by `inner`; `priority` is added to that of every stream.
  ProcessRuntime(Runtime& inner, unsigned context, int priority)
      : ForwardingRuntime(inner), context_(context), priority_(priority) {
    main_ = inner_.create_stream({"stream0", priority, context});
  }

  /// Copies since reset_traffic().
  const Traffic& traffic() const { return traffic_; }
  void reset_traffic() { traffic_ = {}; }
  /// Frees what is still allocated. Nothing of the process may be under way.
  void free_all() {
    for (const DevicePtr pointer : allocated_) inner_.free(pointer);
    allocated_.clear();
  }

  Stream create_stream(const StreamOptions& options = {}) override {
    StreamOptions own = options;
    own.context = of(options.context);
    own.priority += priority_;
    return inner_.create_stream(own);
  }
  DevicePtr malloc(std::size_t bytes, unsigned context = 0) override {
    const DevicePtr pointer = inner_.malloc(bytes, of(context));
    allocated_.insert(pointer);
    return pointer;
  }
  void free(DevicePtr pointer) override {
    inner_.free(pointer);
    allocated_.erase(pointer);
  }
  void copy_to_device_async(DevicePtr destination, const void* source, std::size_t bytes, Stream s) override {
    ++traffic_.copies_to_device;
    traffic_.bytes_to_device += bytes;
    inner_.copy_to_device_async(destination, source, bytes, of(s));
  }
  void copy_to_host_async(void* destination, DevicePtr source, std::size_t bytes, Stream s) override {
    ++traffic_.copies_to_host;
    traffic_.bytes_to_host += bytes;
    inner_.copy_to_host_async(destination, source, bytes, of(s));
  }
  void copy_on_device_async(DevicePtr destination, DevicePtr source, std::size_t bytes, Stream s) override {
    inner_.copy_on_device_async(destination, source, bytes, of(s));
  }
  void memset_async(DevicePtr destination, std::uint8_t value, std::size_t bytes, Stream s) override {
    inner_.memset_async(destination, value, bytes, of(s));
  }
  ModuleHandle load_module(const std::string& ptx_path, unsigned context = 0) override {
    return inner_.load_module(ptx_path, of(context));
  }
  ModuleHandle load_module_text(const std::string& name, const std::string& ptx,
                                unsigned context = 0) override {
    return inner_.load_module_text(name, ptx, of(context));
  }
  void launch(Kernel kernel, Dim3 grid, Dim3 block, const Args& args, Stream s = Stream{0},
              const LaunchOptions& options = {}) override {
    inner_.launch(kernel, grid, block, args, of(s), options);
  }
  void set_priority(Stream s, std::int32_t priority) override { inner_.set_priority(of(s), priority); }
  Job begin_job(Stream s, const JobOptions& options = {}) override {
    return inner_.begin_job(of(s), options);
  }
  Event record(Stream s) override { return inner_.record(of(s)); }
  Event mark(Stream s) override { return inner_.mark(of(s)); }
  void wait(Stream s, Event e) override { inner_.wait(of(s), e); }
  using ForwardingRuntime::synchronize;
  void synchronize(Stream s) override { inner_.synchronize(of(s)); }

 private:
  unsigned of(unsigned context) const { return context == 0 ? context_ : context; }
  Stream of(Stream s) const { return s.id == 0 ? main_ : s; }

  const unsigned context_;
  const int priority_;
  Stream main_;
  std::set<DevicePtr> allocated_;
  Traffic traffic_;
};

}  // namespace warpvp::rt
