/* The one policy that was built into this program. */
#include "scheduler.h"

extern const struct fw_policy fw_policy;

int main(void) { fw_run(&fw_policy); }
