// How often each byte occurs in a text that comes in pieces: atomics in shared memory, and as many bytes
// copied as counted.
//   bytes [PIECES] [KIB]: KIB of each piece

#include "sw/programs/device.h"
#include "sw/programs/matrix.h"

EMBED_PTX(histogram);

int main(int argc, char** argv) {
  using namespace programs;
  constexpr unsigned kThreads = 256, kBins = 256;
  const unsigned pieces = argument(argc, argv, 1, 4), words = argument(argc, argv, 2, 64) * 256;
  Device device;
  const CUfunction kernel = device.kernel(histogram_ptx, "histogram");
  Array<unsigned> text(device, words), bins(device, kBins);
  std::vector<unsigned> expected(kBins, 0), counted(kBins);
  bins.clear();
  unsigned state = 1;
  for (unsigned piece = 0; piece < pieces; ++piece) {
    std::vector<unsigned> values(words);
    for (unsigned& word : values) {
      state = state * 1664525u + 1013904223u;
      word = state & (state >> 3);  // some bytes more often than others
      for (unsigned shift = 0; shift < 32; shift += 8) ++expected[word >> shift & 255];
    }
    text.write(values);
    device.launch(kernel, (words + kThreads - 1) / kThreads, 1, kThreads, 1, text.address(), bins.address(),
                  words);
    check(device.wait(), "cuStreamSynchronize");
  }
  bins.read(counted);
  check(device.wait(), "cuStreamSynchronize");
  return verdict("bytes", differing(counted, expected), kBins);
}
