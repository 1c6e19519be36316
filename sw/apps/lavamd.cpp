// Potential and forces between particles of neighbouring boxes.

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_ccbp.h"

namespace warpvp::apps {
namespace {

struct LavamdParams {
  std::uint32_t side = 2, particles = 100, met = 27, block = 128;

  void fields(FieldVisitor& v) {
    v.field("side", side, "boxes", "Boxes along each side of a cube of them.", Constraint::range(1, 32));
    v.field("particles", particles, "particles", "Particles in a box.", Constraint::range(1, 100));
    v.field("met", met, "boxes",
            "Boxes that a box meets, itself among them, at most; fewer than 27 shorten a run.",
            Constraint::range(1, 27));
    v.field("block", block, "threads", "Threads a CTA; those without a particle wait.",
            Constraint::range(1, 1024));
    v.require(particles <= block, "particles", "must not exceed the threads of a CTA");
  }
};

class Lavamd : public App {
 public:
  explicit Lavamd(const LavamdParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    std::vector<reference::BoxSurroundings> around = reference::box_neighbours(params_.side);
    for (reference::BoxSurroundings& a : around)
      a.boxes = std::min(a.boxes, static_cast<std::int32_t>(params_.met));
    Inputs inputs(context.seed, 1);
    std::vector<reference::BoxParticle> places(around.size() * params_.particles);
    std::vector<double> charges(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      reference::BoxParticle& p = places[i];
      p.x = inputs.real64(0.1, 1.0);
      p.y = inputs.real64(0.1, 1.0);
      p.z = inputs.real64(0.1, 1.0);
      p.half_square = 0.5 * (p.x * p.x + p.y * p.y + p.z * p.z);
      charges[i] = inputs.real64(0.1, 1.0);
    }
    const double alpha = 0.5;
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "lavamd.ptx"), "lavamd");
    const rt::Stream s = device.create_stream();
    DeviceArray<reference::BoxSurroundings> device_around(device, around, s);
    DeviceArray<reference::BoxParticle> device_places(device, places, s);
    DeviceArray<double> device_charges(device, charges, s), forces(device, 4 * places.size());
    forces.fill_zero(s);
    device.launch(kernel, rt::Dim3(static_cast<std::uint32_t>(around.size())), rt::Dim3(params_.block),
                  rt::Args::of(alpha, device_around.pointer(), device_places.pointer(),
                               device_charges.pointer(), forces.pointer(), params_.particles),
                  s);
    return compare("force", forces.read(s),
                   reference::lavamd(alpha, around, places, charges, params_.particles), {1e-12, 1e-10});
  }

 private:
  LavamdParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Lavamd, LavamdParams, "lavamd",
                                   "Forces between particles of neighbouring boxes, as Rodinia's lavaMD.");

}  // namespace
}  // namespace warpvp::apps
