/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in two streams at once; then one stream waits for an event of the other. */
#include "client.h"

enum { kCount = 4096, kBlock = 128 };

static void saxpy(wv_device* device, wv_kernel kernel, wv_stream stream, float factor, wv_ptr x, wv_ptr y) {
  const uint32_t count = kCount;
  const void* const arguments[] = {&factor, &x, &y, &count};
  wv_launch_options options = WV_LAUNCH(kCount / kBlock, kBlock);
  options.stream = stream;
  TRY(wv_launch(device, kernel, &options, arguments, 4));
}

int main(int argc, char** argv) {
  static float x[kCount], y[kCount], z[kCount], zero[kCount];
  wv_device* const device = open_device(argc, argv);
  const wv_kernel kernel = load_kernel(device, argv[2], "saxpy.ptx", "saxpy");
  wv_stream first, second;
  TRY(wv_create_stream(device, 0, "first", &first));
  TRY(wv_create_stream(device, 1, "second", &second));
  const wv_ptr at_x = allocate(device, sizeof x), at_y = allocate(device, sizeof y),
               at_z = allocate(device, sizeof z);
  for (unsigned i = 0; i < kCount; ++i) x[i] = (float)(i % 1000);
  TRY(wv_copy_to_device(device, at_x, x, sizeof x, 0));
  TRY(wv_copy_to_device(device, at_y, zero, sizeof zero, 0));
  TRY(wv_copy_to_device(device, at_z, zero, sizeof zero, 0));
  TRY(wv_synchronize_all(device));

  saxpy(device, kernel, first, 2.0f, at_x, at_y);
  saxpy(device, kernel, second, 3.0f, at_x, at_z);
  saxpy(device, kernel, first, 4.0f, at_x, at_y);
  saxpy(device, kernel, second, 5.0f, at_x, at_z);
  TRY(wv_synchronize_all(device));
  saxpy(device, kernel, second, 1.0f, at_x, at_z);
  wv_event event;
  TRY(wv_record(device, second, &event));
  TRY(wv_wait(device, first, event));
  saxpy(device, kernel, first, 1.0f, at_z, at_y);
  TRY(wv_copy_to_host(device, y, at_y, sizeof y, first));
  TRY(wv_copy_to_host(device, z, at_z, sizeof z, second));
  TRY(wv_synchronize_all(device));
  TRY(wv_destroy_stream(device, first));

  size_t wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) wrong += y[i] != 15.0f * x[i] || z[i] != 9.0f * x[i];
  return finish(device, "two streams", wrong);
}
