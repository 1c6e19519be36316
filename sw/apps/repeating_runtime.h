#pragma once
// Runs a host program with one of its rounds of launches repeated: what a study of kernels that run together
// needs, whatever the program. A round is what the program launches (and clears, and copies on the device)
// between two moments at which it waits or touches the device from the host. Before the round everything that
// the program has allocated is kept; after the repetition it is put back, and the round runs once more as the
// program wants it, so that its results are those of a run without repetition.

#include <functional>
#include <map>
#include <vector>

#include "sw/runtime/forwarding_runtime.h"

namespace warpvp::apps {

class RepeatingRuntime : public rt::ForwardingRuntime {
 public:
  /// Puts one round into a stream under a name.
  using Launch = std::function<void(rt::Stream s, const std::string& name)>;
  /// Called at the round with number `round` (0: the first) with what launches it; returns when it has been
  /// repeated as often as wanted and all that has ended.
  using Repeat = std::function<void(const Launch& launch)>;
  /// `budget`: of all launches, for QAWS; 0: what the program asks for.
  RepeatingRuntime(rt::Runtime& inner, unsigned round, Repeat repeat, unsigned budget = 0)
      : ForwardingRuntime(inner), chosen_(round), budget_(budget), repeat_(std::move(repeat)) {}

  /// The program has ended. False: it had no such round.
  bool finish();

  rt::DevicePtr malloc(std::size_t bytes, unsigned context = 0) override;
  void free(rt::DevicePtr pointer) override;
  void copy_to_device_async(rt::DevicePtr destination, const void* source, std::size_t bytes,
                            rt::Stream s) override;
  void copy_to_host_async(void* destination, rt::DevicePtr source, std::size_t bytes, rt::Stream s) override;
  void copy_on_device_async(rt::DevicePtr destination, rt::DevicePtr source, std::size_t bytes,
                            rt::Stream s) override;
  void memset_async(rt::DevicePtr destination, std::uint8_t value, std::size_t bytes, rt::Stream s) override;
  void bind_texture(rt::ModuleHandle module, const std::string& name, rt::DevicePtr pointer,
                    const rt::TextureDescription& description) override;
  void destroy_image(rt::ImageHandle handle) override;
  void launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args,
              rt::Stream s = rt::Stream{0}, const rt::LaunchOptions& options = {}) override;
  rt::Event record(rt::Stream s) override;
  rt::Event mark(rt::Stream s) override;
  void wait(rt::Stream s, rt::Event e) override;
  void synchronize(rt::Event e) override;
  void synchronize(rt::Stream s) override;
  void synchronize() override;
  rt::Job begin_job(rt::Stream s, const rt::JobOptions& options = {}) override;
  HostInterface& host() override;

 private:
  /// One command of the round: puts itself into the stream, under the name unless that is empty.
  using Command = std::function<void(rt::Stream s, const std::string& name)>;
  struct Step {
    rt::Stream stream;  ///< the program's
    Command command;
    bool launch;
  };
  void add(rt::Stream s, Command command, bool launch);
  /// The round has ended: what it holds goes to the device.
  void flush();
  void repeat_round();

  const unsigned chosen_;
  const unsigned budget_;
  const Repeat repeat_;
  unsigned rounds_ = 0;
  std::vector<Step> steps_;                         // of the present round
  std::map<rt::DevicePtr, std::size_t> allocated_;  // bytes
};

}  // namespace warpvp::apps
