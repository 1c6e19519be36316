// Fluxes of compressible flow on an unstructured mesh.

#include <algorithm>
#include <utility>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_ccbp.h"

namespace warpvp::apps {
namespace {

struct CfdParams {
  std::uint32_t width = 16, height = 8, depth = 8, window = 256, block = 192;

  void fields(FieldVisitor& v) {
    v.field("width", width, "elements", "Size of the mesh in x.", Constraint::range(1, 1024));
    v.field("height", height, "elements", "Size of the mesh in y.", Constraint::range(1, 1024));
    v.field("depth", depth, "elements", "Size of the mesh in z.", Constraint::range(1, 1024));
    v.field("window", window, "elements",
            "Elements are numbered at random within stretches of this many; 1: in order, line by line.",
            Constraint::range(1, 1u << 24));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.require(std::uint64_t{width} * height * depth <= 1u << 24, "depth",
              "must give at most 16777216 elements");
  }
};

/// Elements fill a brick; each has the two beside it along x and, as its place is even or odd, one above or
/// below it along y and along z, so that neighbours see each other. A wing is at the bottom, the far field
/// everywhere else outside.
reference::FlowMesh flow_mesh(const CfdParams& p, std::uint64_t seed) {
  reference::FlowMesh mesh;
  const std::uint32_t n = mesh.count = p.width * p.height * p.depth;
  Inputs order(seed, 1), numbers(seed, 2);
  std::vector<std::uint32_t> number(n);
  for (std::uint32_t i = 0; i < n; ++i) number[i] = i;
  for (std::uint32_t begin = 0; begin < n; begin += p.window) {
    const std::uint32_t size = std::min(p.window, n - begin);
    for (std::uint32_t k = size; k > 1; --k) std::swap(number[begin + k - 1], number[begin + order.below(k)]);
  }
  mesh.neighbours.assign(std::size_t{4} * n, -2);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t x = i % p.width, y = i / p.width % p.height, z = i / p.width / p.height;
    const bool even = (x + y + z) % 2 == 0;
    std::int32_t* of = &mesh.neighbours[number[i]];
    const auto set = [&](std::size_t face, bool inside, std::uint32_t other) {
      if (inside) of[face * n] = static_cast<std::int32_t>(number[other]);
    };
    set(0, x > 0, i - 1);
    set(1, x + 1 < p.width, i + 1);
    set(2, even ? y + 1 < p.height : y > 0, even ? i + p.width : i - p.width);
    const std::uint32_t layer = p.width * p.height;
    set(3, even ? z + 1 < p.depth : z > 0, even ? i + layer : i - layer);
    if (!even && z == 0) of[std::size_t{3} * n] = -1;
  }
  mesh.normals = numbers.reals(std::size_t{12} * n, -1.0f, 1.0f);
  mesh.variables = numbers.reals(n, 0.9f, 1.1f);  // density, momentum, energy: pressure stays well above zero
  for (const auto& [low, high] : {std::pair{-0.3f, 0.3f}, {-0.3f, 0.3f}, {-0.3f, 0.3f}, {2.2f, 2.6f}}) {
    const std::vector<float> more = numbers.reals(n, low, high);
    mesh.variables.insert(mesh.variables.end(), more.begin(), more.end());
  }
  return mesh;
}

class Cfd : public App {
 public:
  explicit Cfd(const CfdParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const reference::FlowMesh mesh = flow_mesh(params_, context.seed);
    const reference::FarField far = reference::far_field({1.4f, {1.68f, 0.0f, 0.0f}, 3.508f});  // at Mach 1.2
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "cfd.ptx"), "cfd_flux");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::int32_t> neighbours(device, mesh.neighbours, s);
    DeviceArray<float> normals(device, mesh.normals, s), variables(device, mesh.variables, s),
        fluxes(device, mesh.variables.size());
    device.launch(kernel, rt::Dim3((mesh.count + params_.block - 1) / params_.block), rt::Dim3(params_.block),
                  rt::Args::of(neighbours.pointer(), normals.pointer(), variables.pointer(), fluxes.pointer(),
                               far, mesh.count),
                  s);
    return compare("flux", fluxes.read(s), reference::cfd_flux(mesh, far));
  }

 private:
  CfdParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Cfd, CfdParams, "cfd", "Fluxes of a flow on an unstructured mesh, as Rodinia's euler3d; gathers.");

}  // namespace
}  // namespace warpvp::apps
