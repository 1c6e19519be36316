/* SPDX-License-Identifier: Apache-2.0 */
/* What the three programs share: each takes the address of a device and the folder of the kernels. */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdio.h>
#include <stdlib.h>
#include <warpvp_runtime.h>

/* Ends the program with the runtime's line of text, and its status, if a call has failed. */
#define TRY(call)                                                      \
  do {                                                                 \
    const wv_status status = (call);                                   \
    if (status != WV_OK) {                                             \
      fprintf(stderr, "error %d: %s\n", (int)status, wv_last_error()); \
      exit(10 + (int)status);                                          \
    }                                                                  \
  } while (0)

static wv_device* open_device(int argc, char** argv) {
  wv_device* device = NULL;
  if (argc != 3) {
    fprintf(stderr, "usage: %s ADDRESS KERNEL_FOLDER\n", argv[0]);
    exit(2);
  }
  TRY(wv_open(argv[1], &device));
  return device;
}

static wv_kernel load_kernel(wv_device* device, const char* folder, const char* file, const char* entry) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE* const from = fopen(path, "rb");
  if (from == NULL) {
    perror(path);
    exit(2);
  }
  static char text[1 << 20];
  const size_t bytes = fread(text, 1, sizeof text, from);
  fclose(from);
  wv_module module;
  wv_kernel kernel;
  TRY(wv_load_module(device, file, text, bytes, &module));
  TRY(wv_get_kernel(device, module, entry, &kernel));
  return kernel;
}

static wv_ptr allocate(wv_device* device, size_t bytes) {
  wv_ptr pointer;
  TRY(wv_malloc(device, bytes, &pointer));
  return pointer;
}

/* Prints the verdict with the simulated time, closes the device, and gives the program's exit status. */
static int finish(wv_device* device, const char* what, size_t wrong) {
  uint64_t fs;
  TRY(wv_time_fs(device, &fs));
  wv_close(device);
  if (wrong != 0)
    printf("%s: %zu results are wrong\n", what, wrong);
  else
    printf("%s: right, at %.3f us of simulated time\n", what, (double)fs / 1e9);
  return wrong == 0 ? 0 : 1;
}

#endif
