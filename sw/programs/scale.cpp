// Scales a large array again and again, there and back: bound by memory.
//   scale [PASSES] [KIB]

#include "sw/programs/device.h"
#include "sw/programs/matrix.h"

EMBED_PTX(stream);

int main(int argc, char** argv) {
  using namespace programs;
  constexpr unsigned kCtas = 64, kThreads = 256;
  const unsigned passes = argument(argc, argv, 1, 6), quads = argument(argc, argv, 2, 1024) * 64;
  constexpr float kFactor = 1.25f;
  Device device;
  const CUfunction kernel = device.kernel(stream_ptx, "stream_scale");
  std::vector<float> values(std::size_t{quads} * 4), result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1021) - 510.0f;
  Array<float> a(device, values), b(device, values.size());
  for (unsigned pass = 0; pass < passes; ++pass) {
    const bool back = pass % 2 == 1;
    device.launch(kernel, kCtas, 1, kThreads, 1, (back ? b : a).address(), (back ? a : b).address(), kFactor,
                  quads);
  }
  (passes % 2 == 1 ? b : a).read(result);
  check(device.wait(), "cuStreamSynchronize");
  for (unsigned pass = 0; pass < passes; ++pass)
    for (float& value : values) value *= kFactor;
  return verdict("scale", differing(result, values), values.size());
}
