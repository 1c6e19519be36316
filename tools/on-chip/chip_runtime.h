#pragma once
// The host API of the platform (sw/runtime/runtime.h) on a real GPU: host programs run there as they are.
// Contexts are numbers without meaning, textures are 2-D, and there are no surfaces, jobs, or firmware: these
// are refused with InputError.

#include <memory>
#include <vector>

#include "interconnect/host_interface.h"
#include "ptx/module.h"
#include "sw/runtime/runtime.h"
#include "tools/on-chip/cuda_driver.h"

namespace warpvp::chip {

class ChipRuntime : public rt::Runtime {
 public:
  /// InputError where there is no GPU.
  ChipRuntime();
  ~ChipRuntime() override;

  unsigned create_context() override { return ++contexts_; }
  rt::Stream create_stream(const rt::StreamOptions& options = {}) override;
  rt::DevicePtr malloc(std::size_t bytes, unsigned context = 0) override;
  void free(rt::DevicePtr pointer) override;
  void copy_to_device_async(rt::DevicePtr destination, const void* source, std::size_t bytes,
                            rt::Stream s) override;
  void copy_to_host_async(void* destination, rt::DevicePtr source, std::size_t bytes, rt::Stream s) override;
  void copy_on_device_async(rt::DevicePtr destination, rt::DevicePtr source, std::size_t bytes,
                            rt::Stream s) override;
  void memset_async(rt::DevicePtr destination, std::uint8_t value, std::size_t bytes, rt::Stream s) override;
  rt::ModuleHandle load_module(const std::string& ptx_path, unsigned context = 0) override;
  rt::ModuleHandle load_module_text(const std::string& name, const std::string& ptx,
                                    unsigned context = 0) override;
  rt::Kernel kernel(rt::ModuleHandle module, const std::string& entry) override;
  std::vector<rt::ParameterInfo> parameters(rt::Kernel kernel) override;
  rt::DevicePtr symbol(rt::ModuleHandle module, const std::string& name) override;
  void bind_texture(rt::ModuleHandle module, const std::string& name, rt::DevicePtr pointer,
                    const rt::TextureDescription& description) override;
  rt::ImageHandle create_texture(rt::DevicePtr memory, const rt::TextureDescription& description) override;
  rt::ImageHandle create_surface(rt::DevicePtr memory, const rt::SurfaceDescription& description) override;
  void destroy_image(rt::ImageHandle handle) override;
  void launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args,
              rt::Stream s = rt::Stream{0}, const rt::LaunchOptions& options = {}) override;
  /// The driver compiled the kernel for as many registers as it has: `registers` counts for nothing.
  unsigned occupancy(rt::Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes = 0,
                     unsigned registers = 0) override;
  unsigned sm_count() const override { return sms_; }
  rt::Event record(rt::Stream s) override;
  /// An event of CUDA is none of the stream's commands: the same as record.
  rt::Event mark(rt::Stream s) override { return record(s); }
  bool completed(rt::Event e) override;
  void wait(rt::Stream s, rt::Event e) override;
  void synchronize(rt::Event e) override;
  void synchronize(rt::Stream s) override;
  void synchronize() override;
  double elapsed_us(rt::Event from, rt::Event to) override;
  /// Time passes as on the host's clock; all else is refused.
  HostInterface& host() override { return *host_; }

 private:
  struct LoadedModule {
    std::unique_ptr<ptx::Module> text;  ///< says what kernels take, and which one a name means
    CuHandle handle = nullptr;
    std::vector<std::shared_ptr<ptx::Program>> programs;
    std::vector<CuHandle> functions;  ///< by entry
  };
  CuHandle stream(rt::Stream s) const { return streams_.at(s.id); }

  const CudaDriver& cuda_;
  unsigned sms_ = 0, contexts_ = 0;
  std::vector<CuHandle> streams_, events_;
  std::vector<LoadedModule> modules_;
  std::unique_ptr<HostInterface> host_;
};

/// Loads a module from PTX text, compiled by the driver with optimisations of so many levels, 0 to 4.
/// InputError with the compiler's own message.
CuHandle load_ptx(const std::string& name, const std::string& ptx, unsigned level = 4);

}  // namespace warpvp::chip
