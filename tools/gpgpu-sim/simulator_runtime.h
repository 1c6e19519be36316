#pragma once
// The host API of the platform (sw/runtime/runtime.h) on GPGPU-Sim: host programs run there as they are, with
// the same PTX, grids, arguments and inputs, and check what comes back as ever.
//
// Everything goes into CUDA's stream 0, one after the other, whatever stream it was put into: in that stream
// the library waits without polling. One module a process. Variables of a module can be copied to, and not be
// passed to kernels. Images, surfaces, jobs and firmware are refused with InputError.

#include <map>
#include <memory>
#include <vector>

#include "interconnect/host_interface.h"
#include "ptx/module.h"
#include "sw/runtime/runtime.h"
#include "tools/gpgpu-sim/cudart.h"

namespace warpvp::gpgpusim {

/// PTX as the toolkits that GPGPU-Sim is built with read it: a `.version` above 7.5 becomes 7.5. What later
/// versions brought is then refused by the reader of PTX there.
std::string lowered_version(const std::string& ptx);

class SimulatorRuntime : public rt::Runtime {
 public:
  /// InputError where the library is not to be had. The working folder has GPGPU-Sim's gpgpusim.config; the
  /// PTX is written there as `module.1.sm_70.ptx`, where the stand-in for cuobjdump in $CUDA_INSTALL_PATH
  /// names it.
  SimulatorRuntime();
  /// Ends the thread that simulates.
  ~SimulatorRuntime() override;

  /// Processor time so far, outside of calls into the library.
  struct Outside {
    double program = 0;  ///< of the host program
    double polling = 0;  ///< of the simulating thread, which waits for the next call
  };
  Outside outside() const;

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
  /// An address that stands for the variable in copies to it.
  rt::DevicePtr symbol(rt::ModuleHandle module, const std::string& name) override;
  void bind_texture(rt::ModuleHandle module, const std::string& name, rt::DevicePtr pointer,
                    const rt::TextureDescription& description) override;
  rt::ImageHandle create_texture(rt::DevicePtr memory, const rt::TextureDescription& description) override;
  rt::ImageHandle create_surface(rt::DevicePtr memory, const rt::SurfaceDescription& description) override;
  void destroy_image(rt::ImageHandle handle) override;
  void launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args,
              rt::Stream s = rt::Stream{0}, const rt::LaunchOptions& options = {}) override;
  /// With the registers of the toolkit's ptxas; `registers` counts for nothing.
  unsigned occupancy(rt::Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes = 0,
                     unsigned registers = 0) override;
  unsigned sm_count() const override { return sms_; }
  /// All that was called before has been done already.
  rt::Event record(rt::Stream) override { return rt::Event{events_++}; }
  rt::Event mark(rt::Stream s) override { return record(s); }
  bool completed(rt::Event) override { return true; }
  void wait(rt::Stream, rt::Event) override {}
  void synchronize(rt::Event) override {}
  void synchronize(rt::Stream) override {}
  void synchronize() override {}
  /// Refused: events there have the host's time.
  double elapsed_us(rt::Event from, rt::Event to) override;
  /// Time passes as on the host's clock; all else is refused.
  HostInterface& host() override { return *host_; }

 private:
  /// A call into the library; between two of them the simulating thread only polls.
  class Call {
   public:
    explicit Call(SimulatorRuntime& runtime);
    ~Call();

   private:
    SimulatorRuntime& runtime_;
  };
  struct Variable {
    std::string name;
    std::size_t bytes = 0;
  };
  /// The variable of a stand-in address, and how far into it that points.
  std::pair<const Variable*, std::size_t> variable_at(rt::DevicePtr address) const;

  const Cudart& cuda_;
  unsigned sms_ = 0, contexts_ = 0, streams_ = 0, events_ = 0;
  std::unique_ptr<ptx::Module> module_;
  void** binary_ = nullptr;
  std::vector<std::shared_ptr<ptx::Program>> kernels_;
  std::map<rt::DevicePtr, std::unique_ptr<Variable>> variables_;
  std::unique_ptr<HostInterface> host_;
  Outside outside_;                            // until the last call
  double process_left_ = 0, thread_left_ = 0;  // clocks at its end
};

}  // namespace warpvp::gpgpusim
