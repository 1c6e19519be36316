/* The same beside hardware that starts packets. */
#include "scheduler.h"

extern const struct fw_policy fw_policy;

int main_assisted(void);
int main_assisted(void) { fw_assist(&fw_policy); }
