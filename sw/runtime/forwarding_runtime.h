#pragma once
// A Runtime that hands every call on to another one: the base of those that add something to some calls
// (a process of its own, a record of what is called).

#include "sw/runtime/runtime.h"

namespace warpvp::rt {

class ForwardingRuntime : public Runtime {
 public:
  /// `inner` outlives it.
  explicit ForwardingRuntime(Runtime& inner) : inner_(inner) {}

  unsigned create_context() override { return inner_.create_context(); }
  Stream create_stream(const StreamOptions& options = {}) override { return inner_.create_stream(options); }
  DevicePtr malloc(std::size_t bytes, unsigned context = 0) override { return inner_.malloc(bytes, context); }
  bool grow(DevicePtr begin, std::size_t bytes, unsigned context = 0) override {
    return inner_.grow(begin, bytes, context);
  }
  DevicePtr malloc_pages(std::size_t bytes, unsigned context = 0) override {
    return inner_.malloc_pages(bytes, context);
  }
  void free(DevicePtr pointer) override { inner_.free(pointer); }
  std::optional<Allocation> allocation_at(DevicePtr address) const override {
    return inner_.allocation_at(address);
  }
  void copy_to_device_async(DevicePtr destination, const void* source, std::size_t bytes, Stream s) override {
    inner_.copy_to_device_async(destination, source, bytes, s);
  }
  void copy_to_host_async(void* destination, DevicePtr source, std::size_t bytes, Stream s) override {
    inner_.copy_to_host_async(destination, source, bytes, s);
  }
  void copy_on_device_async(DevicePtr destination, DevicePtr source, std::size_t bytes, Stream s) override {
    inner_.copy_on_device_async(destination, source, bytes, s);
  }
  void memset_async(DevicePtr destination, std::uint8_t value, std::size_t bytes, Stream s) override {
    inner_.memset_async(destination, value, bytes, s);
  }
  ModuleHandle load_module(const std::string& ptx_path, unsigned context = 0) override {
    return inner_.load_module(ptx_path, context);
  }
  ModuleHandle load_module_text(const std::string& name, const std::string& ptx,
                                unsigned context = 0) override {
    return inner_.load_module_text(name, ptx, context);
  }
  Kernel kernel(ModuleHandle module, const std::string& entry) override {
    return inner_.kernel(module, entry);
  }
  std::vector<ParameterInfo> parameters(Kernel kernel) override { return inner_.parameters(kernel); }
  KernelNeeds needs(Kernel kernel) override { return inner_.needs(kernel); }
  DeviceInfo device_info() const override { return inner_.device_info(); }
  void set_printer(std::function<void(const std::string&)> print, unsigned context = 0) override {
    inner_.set_printer(std::move(print), context);
  }
  DevicePtr symbol(ModuleHandle module, const std::string& name) override {
    return inner_.symbol(module, name);
  }
  std::uint64_t symbol_bytes(ModuleHandle module, const std::string& name) override {
    return inner_.symbol_bytes(module, name);
  }
  void bind_texture(ModuleHandle module, const std::string& name, DevicePtr pointer,
                    const TextureDescription& description) override {
    inner_.bind_texture(module, name, pointer, description);
  }
  ImageHandle create_texture(DevicePtr memory, const TextureDescription& description) override {
    return inner_.create_texture(memory, description);
  }
  ImageHandle create_surface(DevicePtr memory, const SurfaceDescription& description) override {
    return inner_.create_surface(memory, description);
  }
  void destroy_image(ImageHandle handle) override { inner_.destroy_image(handle); }
  void launch(Kernel kernel, Dim3 grid, Dim3 block, const Args& args, Stream s = Stream{0},
              const LaunchOptions& options = {}) override {
    inner_.launch(kernel, grid, block, args, s, options);
  }
  unsigned occupancy(Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes = 0,
                     unsigned registers = 0) override {
    return inner_.occupancy(kernel, block_threads, dynamic_shared_bytes, registers);
  }
  unsigned sm_count() const override { return inner_.sm_count(); }
  double sm_clock_mhz() const override { return inner_.sm_clock_mhz(); }
  Event record(Stream s) override { return inner_.record(s); }
  Event mark(Stream s) override { return inner_.mark(s); }
  bool completed(Event e) override { return inner_.completed(e); }
  void wait(Stream s, Event e) override { inner_.wait(s, e); }
  void synchronize(Event e) override { inner_.synchronize(e); }
  void synchronize(Stream s) override { inner_.synchronize(s); }
  void synchronize() override { inner_.synchronize(); }
  double elapsed_us(Event from, Event to) override { return inner_.elapsed_us(from, to); }
  void set_priority(Stream s, std::int32_t priority) override { inner_.set_priority(s, priority); }
  Job begin_job(Stream s, const JobOptions& options = {}) override { return inner_.begin_job(s, options); }
  void end_job(Job job) override { inner_.end_job(job); }
  JobStatus job_status(Job job) override { return inner_.job_status(job); }
  JobStatus synchronize(Job job) override { return inner_.synchronize(job); }
  void reject_job(Job job, std::uint32_t code) override { inner_.reject_job(job, code); }
  std::optional<JobCompletion> next_completion() override { return inner_.next_completion(); }
  void send_to_firmware(std::uint32_t word) override { inner_.send_to_firmware(word); }
  std::optional<std::uint32_t> receive_from_firmware(bool wait = true) override {
    return inner_.receive_from_firmware(wait);
  }
  std::string whose_else(std::uint64_t address, std::size_t bytes, bool write,
                         const std::set<unsigned>& contexts) const override {
    return inner_.whose_else(address, bytes, write, contexts);
  }
  [[noreturn]] void fault_of(unsigned context, const std::string& what, std::uint64_t address) override {
    inner_.fault_of(context, what, address);
    __builtin_unreachable();  // GCC does not see that of a virtual function
  }
  HostInterface& host() override { return inner_.host(); }

 protected:
  Runtime& inner_;
};

}  // namespace warpvp::rt
