/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that stores where nothing is: the runtime says so, and the program ends with its status. */
#include "client.h"

int main(int argc, char** argv) {
  wv_device* const device = open_device(argc, argv);
  const wv_kernel kernel = load_kernel(device, argv[2], "faults.ptx", "out_of_bounds");
  const wv_ptr memory = allocate(device, 1024);
  const uint64_t far = (uint64_t)1 << 40;
  const void* const arguments[] = {&memory, &far};
  const wv_launch_options options = WV_LAUNCH(2, 128);
  TRY(wv_launch(device, kernel, &options, arguments, 2));
  TRY(wv_synchronize(device, 0));
  return finish(device, "a kernel that faults", 1);
}
