// Miss queue "fifo": requests of all kernels leave in the order in which they came.

#include <algorithm>

#include "interconnect/prefetch.h"
#include "interconnect/ring.h"
#include "modules/sm/memory/miss_queue.h"

namespace warpvp {
namespace {

class FifoMissQueue : public MissQueue {
 public:
  void configure(unsigned entries) override { queue_.set_capacity(entries); }
  bool can_push(unsigned, unsigned count) const override {
    return queue_.size() + count <= queue_.capacity();
  }
  void push(Transaction& request, Cycle) override {
    queue_.push(&request);
    peak_ = std::max(peak_, queue_.size());
  }
  Transaction* pop(Cycle) override {
    if (queue_.empty()) return nullptr;
    Transaction* request = queue_.front();
    queue_.pop();
    if (!queue_.empty()) prefetch(*queue_.front());  // leaves next, and may have waited long
    return request;
  }
  bool empty() const override { return queue_.empty(); }
  Cycle next_issue(Cycle now) const override { return queue_.empty() ? kNever : now + 1; }
  void response(const MemExtension&, bool, Cycle) override {}
  void stats(StatVisitor& v) const override {
    v.value("peak_entries", static_cast<std::uint64_t>(peak_), "requests", "Most requests that ever waited.");
  }

 private:
  std::size_t peak_ = 0;
  Ring<Transaction*> queue_;
};

WARPVP_REGISTER_POLICY(MissQueue, FifoMissQueue, "fifo", "Requests leave in the order in which they came.");

}  // namespace
}  // namespace warpvp
