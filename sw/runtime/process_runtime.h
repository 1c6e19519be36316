#pragma once
// The Runtime as one of several processes sees it: context 0 and stream 0 are its own, all its streams have
// at least its priority, and what it has allocated is freed when it ends. So any host program, written as if
// it had the device to itself, is a process. What it names of others (contexts, memory to free, images, what
// the CPU reaches through host()) is a fault of its context; copies are checked by the engines, kernels by
// the SMs.

#include <cstdint>
#include <set>
#include <utility>

#include "sw/runtime/forwarding_runtime.h"
#include "sw/runtime/process_host.h"

namespace warpvp::rt {

class ProcessRuntime : public ForwardingRuntime {
 public:
  struct Traffic {
    std::uint64_t copies_to_device = 0, copies_to_host = 0;
    std::uint64_t bytes_to_device = 0, bytes_to_host = 0;
  };

  /// `context` was created by `inner`; `priority` is added to that of every stream.
  ProcessRuntime(Runtime& inner, unsigned context, int priority)
      : ForwardingRuntime(inner),
        context_(context),
        priority_(priority),
        contexts_{context},
        host_(inner.host(), [this](std::uint64_t address, std::size_t bytes, bool write) {
          check(address, bytes, write ? "host write" : "host read", write);
        }) {
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

  unsigned create_context() override { return *contexts_.insert(inner_.create_context()).first; }
  HostInterface& host() override { return host_; }
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
  bool grow(DevicePtr begin, std::size_t bytes, unsigned context = 0) override {
    const bool grown = inner_.grow(begin, bytes, of(context));
    if (grown) allocated_.insert(begin);
    return grown;
  }
  DevicePtr malloc_pages(std::size_t bytes, unsigned context = 0) override {
    return *allocated_.insert(inner_.malloc_pages(bytes, of(context))).first;
  }
  void free(DevicePtr pointer) override {
    if (allocated_.count(pointer) == 0) check(pointer, 1, "free");
    inner_.free(pointer);
    allocated_.erase(pointer);
  }
  std::optional<Allocation> allocation_at(DevicePtr address) const override {
    const auto found = inner_.allocation_at(address);
    return found && contexts_.count(found->context) != 0 ? found : std::nullopt;
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
  void set_printer(std::function<void(const std::string&)> print, unsigned context = 0) override {
    inner_.set_printer(std::move(print), of(context));
  }
  void launch(Kernel kernel, Dim3 grid, Dim3 block, const Args& args, Stream s = Stream{0},
              const LaunchOptions& options = {}) override {
    inner_.launch(kernel, grid, block, args, of(s), options);
  }
  void bind_texture(ModuleHandle module, const std::string& name, DevicePtr pointer,
                    const TextureDescription& description) override {
    check(pointer, 1, "texture");
    inner_.bind_texture(module, name, pointer, description);
  }
  ImageHandle create_texture(DevicePtr memory, const TextureDescription& description) override {
    check(memory, 1, "texture");
    return inner_.create_texture(memory, description);
  }
  ImageHandle create_surface(DevicePtr memory, const SurfaceDescription& description) override {
    check(memory, 1, "surface");
    return inner_.create_surface(memory, description);
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
  unsigned of(unsigned context) {
    if (context == 0) return context_;
    if (contexts_.count(context) == 0)
      inner_.fault_of(context_,
                      "use of context " + std::to_string(context) + " by a process of context " +
                          std::to_string(context_),
                      0);
    return context;
  }
  void check(std::uint64_t address, std::size_t bytes, const char* what, bool write = true) {
    const std::string whose = inner_.whose_else(address, bytes, write, contexts_);
    if (!whose.empty())
      inner_.fault_of(context_,
                      std::string(what) + " of " + std::to_string(bytes) + " bytes by context " +
                          std::to_string(context_) + " in " + whose,
                      address);
  }
  Stream of(Stream s) const { return s.id == 0 ? main_ : s; }

  const unsigned context_;
  const int priority_;
  std::set<unsigned> contexts_;  ///< its own
  ProcessHost host_;
  Stream main_;
  std::set<DevicePtr> allocated_;
  Traffic traffic_;
};

}  // namespace warpvp::rt
