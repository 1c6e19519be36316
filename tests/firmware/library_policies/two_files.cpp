// Round robin in C++ that has a constructor, a virtual function and a helper in C: what a policy may be made of.
#include <assert.h>
#include <stdlib.h>

#include "policy.h"

extern "C" int next_queue(const fw_set *can_start);

namespace {

struct Order {
  virtual int next(const fw_set *can_start) const = 0;
};
struct ByHelper : Order {
  ByHelper() : begun(41) {}
  int next(const fw_set *can_start) const override { return next_queue(can_start); }
  int begun;
};
ByHelper order;
const Order *const used = &order;

void init() {
  assert(order.begun == 41);
  if (order.begun < 0) abort();
  printf("constructed with %d\n", order.begun);
}
int pick(const fw_set *can_start) { return used->next(can_start); }

}  // namespace

FW_POLICY = {.name = "two_files", .init = init, .pick = pick, .round_robin = true};
