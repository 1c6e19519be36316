/* The policies of a native build, by the names of their files. */
#ifndef WARPVP_FIRMWARE_NATIVE_H
#define WARPVP_FIRMWARE_NATIVE_H

#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fw_native_policy {
  const char *name;
  const struct fw_policy *policy;
};
extern const struct fw_native_policy fw_native_policies[];
extern const unsigned fw_native_policy_count;

#ifdef __cplusplus
}
#endif

#endif
