#pragma once
// A workload: kernels with their data, launch and check, apart from the question of when they run. The app of
// the same kernel runs one alone (WorkloadApp); `mix` and `pair` run several at once to study who gets the
// machine.
//
// Every workload has two forms. Normal: a CTA a piece of work. Persistent threads (QAWS paper, section V-A):
// a grid of ctas_per_sm CTAs for each SM, whose CTAs loop over the pieces of work, so that the share of each
// kernel in every SM stays what it is from the first to the last cycle.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/apps/app.h"
#include "sw/apps/compare.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {

/// How a workload is launched; common to the parameters of all.
struct LaunchForm {
  bool persistent = false;
  std::uint32_t ctas_per_sm = 0;

  void fields(FieldVisitor& v) {
    v.field("persistent", persistent,
            "Launch the persistent-thread form: a fixed grid that loops over the work.");
    v.field("ctas_per_sm", ctas_per_sm, "CTAs",
            "CTAs on each SM in the persistent form; 0: as many as fit with the SM to themselves.",
            Constraint::range(0, 64));
  }
};

class Workload {
 public:
  static constexpr const char* kKind = "workload";
  virtual ~Workload() = default;

  /// Multiplies the amount of work by about `factor` (> 0), keeping it valid. Before prepare().
  virtual void scale(double factor) = 0;
  /// Makes the inputs from context.seed + seed_offset, allocates, loads the module and copies inputs in
  /// stream `s`.
  virtual void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
                       rt::Stream s) = 0;
  /// Gives the results their initial value, where the kernel needs that. Before every launch().
  virtual void reset(rt::Runtime& device, rt::Stream s) {}
  /// Puts all launches of one round into stream `s`. Several launches carry the same name: the round's
  /// response time is from the first launch to the end of the last.
  virtual void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) = 0;
  /// Copies results to the host in stream order; verify() may be called once the stream has passed it.
  virtual void collect(rt::Runtime& device, rt::Stream s) = 0;
  /// Compares with a CPU computation.
  virtual AppResult verify() const = 0;

  /// Warps of one CTA, and CTAs that fit on one SM (the least over the workload's kernels). After prepare().
  virtual unsigned warps_per_cta() const = 0;
  virtual unsigned occupancy(rt::Runtime& device) const = 0;

  /// Chooses the persistent form with this many CTAs per SM.
  void use_persistent_form(unsigned ctas_per_sm) { form_ = {true, ctas_per_sm}; }
  const LaunchForm& form() const { return form_; }

  /// Frees what prepare() allocated.
  void release(rt::Runtime& device) {
    for (rt::DevicePtr p : buffers_) device.free(p);
    buffers_.clear();
  }

 protected:
  explicit Workload(const LaunchForm& form) : form_(form) {}

  rt::DevicePtr allocate(rt::Runtime& device, std::size_t bytes) {
    buffers_.push_back(device.malloc(bytes));
    return buffers_.back();
  }
  template <class T>
  rt::DevicePtr upload(rt::Runtime& device, const std::vector<T>& data, rt::Stream s) {
    const rt::DevicePtr p = allocate(device, data.size() * sizeof(T));
    device.copy_to_device_async(p, data.data(), data.size() * sizeof(T), s);
    return p;
  }
  template <class T>
  void download(rt::Runtime& device, std::vector<T>& data, rt::DevicePtr p, rt::Stream s) {
    device.copy_to_host_async(data.data(), p, data.size() * sizeof(T), s);
  }

  /// One kernel in its two forms: entries NAME and NAME_persistent. Both take the same arguments; the
  /// persistent one takes, after them, the CTAs along x when the work is two-dimensional, and the number of
  /// CTAs of work.
  struct Forms {
    rt::Kernel normal, persistent;
    rt::Dim3 block;
    bool two_dimensional = false;
    unsigned warps() const { return (block.x * block.y * block.z + 31) / 32; }
  };
  static Forms load_forms(rt::Runtime& device, rt::ModuleHandle module, const std::string& name,
                          rt::Dim3 block, bool two_dimensional = false) {
    return {device.kernel(module, name), device.kernel(module, name + "_persistent"), block, two_dimensional};
  }
  static unsigned occupancy_of(rt::Runtime& device, const Forms& forms) {
    return device.occupancy(forms.persistent, forms.block.x * forms.block.y * forms.block.z);
  }
  /// Launches `work` (z is 1) pieces of work in the form chosen.
  void launch_forms(rt::Runtime& device, const Forms& forms, rt::Dim3 work, rt::Args args, rt::Stream s,
                    const rt::LaunchOptions& options);

 private:
  LaunchForm form_;
  std::vector<rt::DevicePtr> buffers_;
};

/// An app that runs one workload alone: prepare, `repeat` rounds, check after each.
template <class W, class Params>
class WorkloadApp : public App {
 public:
  struct AppParams : Params {
    std::uint32_t repeat = 1;
    void fields(FieldVisitor& v) {
      Params::fields(v);
      v.field("repeat", repeat, "", "Rounds, each launched and checked.", Constraint::at_least(1));
    }
  };
  explicit WorkloadApp(const AppParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override;

 private:
  AppParams params_;
};

/// The body of WorkloadApp::run, also for workloads held by their interface.
AppResult run_alone(Workload& workload, unsigned repeat, rt::Runtime& device, const AppContext& context);

template <class W, class Params>
AppResult WorkloadApp<W, Params>::run(rt::Runtime& device, const AppContext& context) {
  W workload(params_);
  return run_alone(workload, params_.repeat, device, context);
}

/// CTAs of `block` items that cover `items`.
inline unsigned ctas_for(std::uint64_t items, unsigned block) {
  return static_cast<unsigned>((items + block - 1) / block);
}

}  // namespace warpvp::apps

/// Registers a workload class twice: as an app under `app_name`, and under `short_name` (the QAWS paper's
/// Table I where it has one) for `mix` and `pair`.
#define WARPVP_REGISTER_WORKLOAD(Class, Params, app_name, short_name, doc)                                   \
  using Class##App = ::warpvp::apps::WorkloadApp<Class, Params>;                                             \
  WARPVP_REGISTER_POLICY_WITH_PARAMS(::warpvp::apps::App, Class##App, Class##App::AppParams, app_name, doc); \
  WARPVP_REGISTER_POLICY_WITH_PARAMS(::warpvp::apps::Workload, Class, Params, short_name, doc)
