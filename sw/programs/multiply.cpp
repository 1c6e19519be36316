// The product of two matrices in one launch, of CTAs that take long: arithmetic, shared memory and barriers.
//   multiply [SIZE]

#include "sw/programs/device.h"
#include "sw/programs/matrix.h"

EMBED_PTX(matmul);

int main(int argc, char** argv) {
  using namespace programs;
  constexpr unsigned kTile = 16;
  const unsigned n = argument(argc, argv, 1, 256), ctas = (n + kTile - 1) / kTile;
  Device device;
  const CUfunction matmul = device.kernel(matmul_ptx, "matmul");
  const std::vector<float> left = matrix(n, 1), right = matrix(n, 2);
  Array<float> a(device, left), b(device, right), c(device, left.size());
  device.launch(matmul, ctas, ctas, kTile, kTile, a.address(), b.address(), c.address(), n, n, n);
  std::vector<float> result(left.size());
  c.read(result);
  check(device.wait(), "cuStreamSynchronize");
  return verdict("multiply", differing(result, product(left, right, n)), result.size());
}
