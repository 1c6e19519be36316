// The electric potential of point charges on a plane.

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_darsie.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kMostCharges = 4000, kPointsPerThread = 8;  // of the kernel

struct CoulombParams {
  std::uint32_t columns = 256, rows = 16, charges = 100;

  void fields(FieldVisitor& v) {
    v.field("columns", columns, "points", "Width of the plane, a multiple of 128; a thread has 8 points.",
            Constraint::range(128, 1u << 14));
    v.field("rows", rows, "points", "Height of the plane, a multiple of 8.", Constraint::range(8, 1u << 14));
    v.field("charges", charges, "charges", "Charges, 4000 a launch.", Constraint::range(1, 1u << 20));
    v.require(columns % 128 == 0, "columns", "must be a multiple of 128");
    v.require(rows % 8 == 0, "rows", "must be a multiple of 8");
  }
};

class Coulomb : public App {
 public:
  explicit Coulomb(const CoulombParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t columns = params_.columns, rows = params_.rows;
    const float spacing = 0.125f;
    std::vector<reference::PointCharge> charges(params_.charges);
    Inputs numbers(context.seed, 1);
    for (reference::PointCharge& c : charges) {
      const float z = numbers.real(0.5f, 5.0f);
      c = {numbers.real(0.0f, spacing * static_cast<float>(columns)),
           numbers.real(0.0f, spacing * static_cast<float>(rows)), z * z, numbers.real(-1.0f, 1.0f)};
    }
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "coulomb.ptx");
    const rt::Kernel kernel = device.kernel(module, "coulomb");
    const rt::DevicePtr constants = device.symbol(module, "charges");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> energy(device, std::size_t{columns} * rows);
    energy.fill_zero(s);
    const rt::Dim3 block(16, 8), grid(columns / (block.x * kPointsPerThread), rows / block.y);
    for (std::uint32_t first = 0; first < params_.charges; first += kMostCharges) {
      const std::uint32_t count = std::min(kMostCharges, params_.charges - first);
      device.copy_to_device_async(constants, &charges[first], count * sizeof charges[0], s);
      device.launch(kernel, grid, block, rt::Args::of(count, spacing, energy.pointer()), s);
    }
    // A charge is at least half a unit away: its part is below 2, with an error of some 2^-22 of it.
    return compare("energy", energy.read(s), reference::coulomb(charges, columns, rows, spacing),
                   {1e-6 * params_.charges, 1e-5});
  }

 private:
  CoulombParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Coulomb, CoulombParams, "coulomb",
    "Potential of charges in constant memory on a plane of points, eight a thread; compute-bound.");

}  // namespace
}  // namespace warpvp::apps
