#pragma once
// A Runtime without a machine: every call takes effect at once and kernels run CTA by CTA with ptx/exec. It
// shows that the shipped PTX and host programs compute what they should, apart from any timing.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "ptx/exec/functional_runner.h"
#include "ptx/module.h"
#include "sw/runtime/runtime.h"

namespace warpvp::test {

class FunctionalDevice : public rt::Runtime {
 public:
  /// What launches did, for tests to look at.
  struct LaunchRecord {
    std::string entry, name;
    unsigned stream = 0, budget = 1;
    std::uint32_t ctas = 0;
    std::uint64_t warp_instructions = 0;
  };

  explicit FunctionalDevice(unsigned sms = 2);
  ~FunctionalDevice() override;

  unsigned create_context() override;
  rt::Stream create_stream(const rt::StreamOptions& options) override;
  rt::DevicePtr malloc(std::size_t bytes, unsigned context) override;
  void free(rt::DevicePtr pointer) override;
  std::optional<Allocation> allocation_at(rt::DevicePtr address) const override;
  void copy_to_device_async(rt::DevicePtr destination, const void* source, std::size_t bytes,
                            rt::Stream) override;
  void copy_to_host_async(void* destination, rt::DevicePtr source, std::size_t bytes, rt::Stream) override;
  void copy_on_device_async(rt::DevicePtr destination, rt::DevicePtr source, std::size_t bytes,
                            rt::Stream) override;
  void memset_async(rt::DevicePtr destination, std::uint8_t value, std::size_t bytes, rt::Stream) override;
  rt::ModuleHandle load_module(const std::string& ptx_path, unsigned context) override;
  rt::ModuleHandle load_module_text(const std::string& name, const std::string& ptx,
                                    unsigned context) override;
  rt::Kernel kernel(rt::ModuleHandle module, const std::string& entry) override;
  std::vector<rt::ParameterInfo> parameters(rt::Kernel kernel) override;
  rt::DevicePtr symbol(rt::ModuleHandle module, const std::string& name) override;
  void bind_texture(rt::ModuleHandle module, const std::string& name, rt::DevicePtr pointer,
                    const rt::TextureDescription& description) override;
  rt::ImageHandle create_texture(rt::DevicePtr memory, const rt::TextureDescription& description) override;
  rt::ImageHandle create_surface(rt::DevicePtr memory, const rt::SurfaceDescription& description) override;
  void destroy_image(rt::ImageHandle handle) override;
  /// A device fault throws std::runtime_error with its text and place.
  void launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args, rt::Stream s,
              const rt::LaunchOptions& options) override;
  unsigned occupancy(rt::Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes,
                     unsigned registers) override;
  unsigned sm_count() const override { return sms_; }
  rt::Event record(rt::Stream) override { return {next_event_++}; }
  void wait(rt::Stream, rt::Event) override {}
  void synchronize(rt::Event) override {}
  void synchronize(rt::Stream) override {}
  void synchronize() override {}
  double elapsed_us(rt::Event, rt::Event) override { return 1.0; }
  HostInterface& host() override { throw InputError("the functional device has no host interface"); }

  const std::vector<LaunchRecord>& launches() const { return launches_; }
  const std::string& printed() const { return printed_; }
  /// Allocations not freed yet.
  int allocations() const { return allocations_; }

  /// Instructions after which a launch is taken to be endless.
  std::uint64_t instruction_limit = 400'000'000;

 private:
  struct LoadedModule;
  rt::ModuleHandle place(std::unique_ptr<ptx::Module> module);
  void require_allocated(rt::DevicePtr pointer, std::size_t bytes) const;
  rt::ImageHandle create_image(rt::DevicePtr memory, const ptx::ImageDescriptor& descriptor);

  unsigned sms_, next_stream_ = 1, next_context_ = 1, next_event_ = 0;
  int allocations_ = 0;
  ptx::FlatMemory memory_;
  ptx::FunctionalRunner runner_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::vector<LaunchRecord> launches_;
  std::string printed_;
};

}  // namespace warpvp::test
