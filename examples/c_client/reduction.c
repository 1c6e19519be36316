/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of parts of a vector by warp shuffles and shared memory, with the arguments as one block. */
#include <string.h>

#include "client.h"

enum { kCount = 8192, kCtas = 8, kBlock = 256 };

int main(int argc, char** argv) {
  static float in[kCount], partial[kCtas];
  wv_device* const device = open_device(argc, argv);
  const wv_kernel kernel = load_kernel(device, argv[2], "reduction.ptx", "reduce_sum");
  wv_stream stream;
  TRY(wv_create_stream(device, 0, NULL, &stream));
  const wv_ptr at_in = allocate(device, sizeof in), at_partial = allocate(device, sizeof partial);
  /* Small whole numbers: their sums are exact in whatever order. */
  for (unsigned i = 0; i < kCount; ++i) in[i] = (float)(i * 7 % 32);
  TRY(wv_copy_to_device(device, at_in, in, sizeof in, 0));
  TRY(wv_copy_to_device(device, at_partial, partial, sizeof partial, 0));
  TRY(wv_synchronize_all(device));

  wv_parameter parameters[3];
  size_t count = 3;
  TRY(wv_get_parameters(device, kernel, parameters, &count));
  unsigned char block[64] = {0};
  const uint32_t elements = kCount;
  memcpy(block + parameters[0].offset, &at_in, sizeof at_in);
  memcpy(block + parameters[1].offset, &at_partial, sizeof at_partial);
  memcpy(block + parameters[2].offset, &elements, sizeof elements);
  wv_launch_options options = WV_LAUNCH(kCtas, kBlock);
  options.stream = stream;
  TRY(wv_launch_block(device, kernel, &options, block, parameters[2].offset + parameters[2].bytes));
  TRY(wv_synchronize_all(device));
  TRY(wv_copy_to_host(device, partial, at_partial, sizeof partial, 0));
  TRY(wv_synchronize(device, 0));

  size_t wrong = 0;
  for (unsigned cta = 0; cta < kCtas; ++cta) {
    float sum = 0;
    for (unsigned i = 0; i < kCount; ++i)
      if (i / kBlock % kCtas == cta) sum += in[i];
    wrong += partial[cta] != sum;
  }
  return finish(device, "reduction", wrong);
}
