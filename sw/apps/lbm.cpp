// Steps of the lattice Boltzmann method, ping-pong between two lattices.

#include <utility>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_ccbp.h"

namespace warpvp::apps {
namespace {

struct LbmParams {
  std::uint32_t nx = 40, ny = 6, nz = 6, steps = 2;

  void fields(FieldVisitor& v) {
    v.field("nx", nx, "cells", "Size in x, the threads of a CTA.", Constraint::range(3, 1024));
    v.field("ny", ny, "cells", "Size in y.", Constraint::range(3, 512));
    v.field("nz", nz, "cells", "Size in z.", Constraint::range(3, 512));
    v.field("steps", steps, "", "Steps, a launch each.", Constraint::range(1, 1000));
    v.require(std::uint64_t{nx} * ny * nz <= 1u << 24, "nz", "must give at most 16777216 cells");
  }
};

class Lbm : public App {
 public:
  explicit Lbm(const LbmParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    reference::Lattice lattice = reference::resting_lattice(params_.nx, params_.ny, params_.nz);
    Inputs inputs(context.seed, 1);
    for (float& d : lattice.density) d *= inputs.real(0.99f, 1.01f);
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "lbm.ptx"), "lbm_step");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> even(device, lattice.density, s), odd(device, lattice.density, s);
    DeviceArray<std::uint32_t> flags(device, lattice.flags, s);
    device.synchronize(s);  // the reference changes what was copied
    const std::uint64_t margin = std::uint64_t{lattice.margin} * sizeof(float);
    const DeviceArray<float>*from = &even, *to = &odd;
    std::vector<float> other = lattice.density;
    for (std::uint32_t step = 0; step < params_.steps; ++step) {
      device.launch(kernel, rt::Dim3(params_.ny, params_.nz), rt::Dim3(params_.nx),
                    rt::Args::of(from->pointer() + margin, to->pointer() + margin, flags.pointer(),
                                 lattice.row, lattice.pitch()),
                    s);
      std::swap(from, to);
      other = reference::lbm_step(lattice, std::move(other));
      std::swap(other, lattice.density);
    }
    return compare("density", from->read(s), lattice.density);
  }

 private:
  LbmParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Lbm, LbmParams, "lbm",
                                   "Steps of the lattice Boltzmann method (D3Q19), as Parboil's lbm.");

}  // namespace
}  // namespace warpvp::apps
