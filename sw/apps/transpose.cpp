// Matrix transposition, well and badly.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

struct TransposeParams {
  std::uint32_t rows = 128, columns = 160;
  std::string kernel = "transpose";

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "rows", "Height of the input.", Constraint::range(1, 1u << 14));
    v.field("columns", columns, "columns", "Width of the input.", Constraint::range(1, 1u << 14));
    v.field(
        "kernel", kernel,
        "transpose: padded tile in shared memory; transpose_conflicts: no padding, 32-way bank conflicts; "
        "transpose_naive: uncoalesced stores.",
        Constraint::words({"transpose", "transpose_conflicts", "transpose_naive"}));
  }
};

class Transpose : public App {
 public:
  explicit Transpose(const TransposeParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t rows = params_.rows, columns = params_.columns;
    const std::vector<std::uint32_t> in =
        Inputs(context.seed, 1).words(static_cast<std::size_t>(rows) * columns);
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "transpose.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint32_t> device_in(device, in, s), out(device, in.size());
    device.launch(device.kernel(module, params_.kernel), rt::Dim3((columns + 31) / 32, (rows + 31) / 32),
                  rt::Dim3(32, 8), rt::Args::of(device_in.pointer(), out.pointer(), rows, columns), s);
    std::vector<std::uint32_t> expected(in.size());
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t x = 0; x < columns; ++x) expected[x * rows + y] = in[y * columns + x];
    }
    return compare("out", out.read(s), expected);
  }

 private:
  TransposeParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Transpose, TransposeParams, "transpose",
                                   "Matrix transposition with and without bank conflicts, or uncoalesced.");

}  // namespace
}  // namespace warpvp::apps
