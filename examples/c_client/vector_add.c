/* SPDX-License-Identifier: Apache-2.0 */
/* c = a + b at a served device, checked by the processor. */
#include "client.h"

enum { kCount = 4096, kBlock = 256 };

int main(int argc, char** argv) {
  static float a[kCount], b[kCount], c[kCount];
  wv_device* const device = open_device(argc, argv);
  const wv_kernel kernel = load_kernel(device, argv[2], "vector_add.ptx", "vector_add");
  wv_stream stream;
  TRY(wv_create_stream(device, 0, NULL, &stream));
  const wv_ptr at_a = allocate(device, sizeof a), at_b = allocate(device, sizeof b),
               at_c = allocate(device, sizeof c);
  for (unsigned i = 0; i < kCount; ++i) {
    a[i] = (float)i;
    b[i] = 0.5f * (float)(i % 100);
  }
  TRY(wv_copy_to_device(device, at_a, a, sizeof a, 0));
  TRY(wv_copy_to_device(device, at_b, b, sizeof b, 0));
  TRY(wv_copy_to_device(device, at_c, c, sizeof c, 0));
  TRY(wv_synchronize_all(device));

  const uint32_t count = kCount;
  const void* const arguments[] = {&at_a, &at_b, &at_c, &count};
  wv_launch_options options = WV_LAUNCH(kCount / kBlock, kBlock);
  options.stream = stream;
  TRY(wv_launch(device, kernel, &options, arguments, 4));
  TRY(wv_synchronize_all(device));
  TRY(wv_copy_to_host(device, c, at_c, sizeof c, 0));
  TRY(wv_synchronize(device, 0));

  size_t wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) wrong += c[i] != a[i] + b[i];
  return finish(device, "vector add", wrong);
}
