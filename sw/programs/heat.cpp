// Heat that spreads on a plate, in double precision, until the program finds little change: it looks at the
// plate every few steps, which is a wait, a copy, and work for the CPU.
//   heat [SIZE] [LOOKS] [STEPS]: at most LOOKS, STEPS before each

#include <cmath>

#include "sw/programs/device.h"
#include "sw/programs/matrix.h"

EMBED_PTX(stencil);

namespace {

/// As kernel `stencil5` (sw/kernels/stencil.cu).
void step(const std::vector<double>& in, std::vector<double>& out, unsigned n) {
  out = in;
  for (std::size_t y = 1; y + 1 < n; ++y)
    for (std::size_t x = 1; x + 1 < n; ++x) {
      const std::size_t at = y * n + x;
      const double around = (in[at - 1] + in[at + 1]) + (in[at - n] + in[at + n]);
      out[at] = std::fma(around, 0.125, in[at] * 0.5);
    }
}

double change(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace programs;
  constexpr unsigned kX = 32, kY = 8;
  constexpr double kLittle = 1e-3;
  const unsigned n = argument(argc, argv, 1, 128), looks = argument(argc, argv, 2, 4),
                 steps = argument(argc, argv, 3, 4);
  Device device;
  const CUfunction kernel = device.kernel(stencil_ptx, "stencil5");
  std::vector<double> plate(std::size_t{n} * n, 0.0), next;
  for (unsigned i = 0; i < n; ++i) plate[i] = 100.0 + i % 7;  // one edge is hot
  Array<double> a(device, plate), b(device, plate.size());
  std::vector<double> seen = plate, before;
  std::size_t wrong = 0;
  bool in_a = true;
  for (unsigned look = 0; look < looks; ++look) {
    for (unsigned k = 0; k < steps; ++k, in_a = !in_a) {
      device.launch(kernel, (n + kX - 1) / kX, (n + kY - 1) / kY, kX, kY, (in_a ? a : b).address(),
                    (in_a ? b : a).address(), n, n);
      step(plate, next, n);
      plate.swap(next);
    }
    before = seen;
    (in_a ? a : b).read(seen);
    check(device.wait(), "cuStreamSynchronize");
    wrong += differing(seen, plate);
    if (change(before, seen) < kLittle) break;
  }
  return verdict("heat", wrong, plate.size());
}
