// Answers requests one after the other, as a service does: each comes with a matrix, which is multiplied by
// one that stays on the device, twice. Many short kernels, with copies before and after.
//   service [REQUESTS] [SIZE]
// Where the device turns a request down (cudaErrorNotPermitted), its client gets no answer, and the service
// goes on. Says how many it answered and how many were turned down; status 1 where an answer is wrong.

#include "sw/programs/device.h"
#include "sw/programs/matrix.h"

EMBED_PTX(matmul);

int main(int argc, char** argv) {
  using namespace programs;
  constexpr unsigned kNotPermitted = 800, kTile = 16;
  const unsigned requests = argument(argc, argv, 1, 8), n = argument(argc, argv, 2, 64);
  Device device;
  const CUfunction matmul = device.kernel(matmul_ptx, "matmul");
  const std::vector<float> weights = matrix(n, 0);
  Array<float> w(device, weights), in(device, weights.size()), between(device, weights.size()),
      out(device, weights.size());
  check(device.wait(), "cuStreamSynchronize");
  std::vector<float> answer(weights.size());
  unsigned answered = 0, turned_down = 0;
  std::size_t wrong = 0;
  for (unsigned request = 1; request <= requests; ++request) {
    const std::vector<float> asked = matrix(n, request);
    const unsigned ctas = (n + kTile - 1) / kTile;
    in.write(asked);
    device.launch(matmul, ctas, ctas, kTile, kTile, in.address(), w.address(), between.address(), n, n, n);
    device.launch(matmul, ctas, ctas, kTile, kTile, between.address(), w.address(), out.address(), n, n, n);
    const unsigned error = out.try_read(answer);
    if (error == kNotPermitted) {
      ++turned_down;
      continue;
    }
    check(error, "cuMemcpyDtoHAsync");
    ++answered;
    wrong += differing(answer, product(product(asked, weights, n), weights, n));
  }
  std::printf("service: %u requests answered, %u turned down\n", answered, turned_down);
  return verdict("service", wrong, answer.size() * answered);
}
