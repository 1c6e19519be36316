/* The other half of two_files.cpp. */
#include <stdio.h>

#include "policy.h"

int next_queue(const struct fw_set *can_start) {
  static int calls;
  if (calls++ == 0) printf("helped %s\n", "once");
  return fw_after(can_start, fw_last_started());
}
