// Strides. A table has for each stream of loads where it was last and by how much it moved; when it has moved
// by the same amount `confidence` times in a row, the lines are proposed to which it will come (Baer and
// Chen, "An effective on-chip preloading scheme to reduce data access penalty", Supercomputing 1991, section
// 3). A stream is what one instruction of one warp loads: threads of other warps go through it in their own
// order, and without the warp's number their addresses mix (Lee, Lakshminarayana, Kim and Vuduc, "Many-thread
// aware prefetching mechanisms for GPGPU applications", MICRO 2010, section 3.1). Of an instruction that
// touches many lines the first one speaks for it.

#include <vector>

#include "base/error.h"
#include "base/registry.h"
#include "interconnect/cache/prefetcher.h"

namespace warpvp {
namespace {

struct StrideParams {
  std::uint32_t entries = 256;
  std::uint32_t degree = 1;
  std::uint32_t distance = 1;
  std::uint32_t confidence = 2;
  std::string by = "warp";

  void fields(FieldVisitor& v) {
    v.field("entries", entries, "", "Streams in the table, which is direct-mapped.",
            Constraint::pow2(1, 65536));
    v.field("degree", degree, "lines", "Steps of the stream proposed at a time.",
            Constraint::range(1, Prefetcher::kMostProposals));
    v.field("distance", distance, "steps", "How many steps ahead the first of them lies.",
            Constraint::range(1, 1024));
    v.field("confidence", confidence, "", "Equal strides in a row from which on it proposes.",
            Constraint::range(1, 7));
    v.field(
        "by", by,
        "What a stream is. warp: all loads of a warp; pc: of one instruction, by any warp; pc_and_warp: of "
        "one instruction of one warp. The L2 does not know instructions.",
        Constraint::words({"pc", "pc_and_warp", "warp"}));
  }
};

class Stride : public Prefetcher {
 public:
  explicit Stride(const StrideParams& params)
      : params_(params), by_pc_(params.by != "warp"), by_warp_(params.by != "pc"), table_(params.entries) {}

  void configure(const Cache& cache) override {
    if (by_pc_ && !cache.knows_pc)
      throw InputError("'by' is " + params_.by + "; allowed in the L2, which knows no instructions: warp");
  }
  void access(const Access& access, Proposals& proposals) override {
    if (!access.first) return;
    const std::uint64_t stream = key_of(access);
    Entry& e = table_[(stream * 0x9e3779b97f4a7c15ull) >> 32 & (table_.size() - 1)];
    if (e.stream != stream) {
      e = {stream, access.line, 0, 0};
      return;
    }
    const std::uint64_t stride = access.line - e.last;  // of two's complement
    if (stride == 0) return;                            // still in its line
    e.last = access.line;
    if (stride != e.stride) {
      e.stride = stride;
      e.seen = 1;
    } else if (e.seen < params_.confidence) {
      ++e.seen;
    }
    if (e.seen < params_.confidence) return;
    for (std::uint64_t i = 0; i < params_.degree; ++i)
      proposals.push_back(access.line + (params_.distance + i) * stride);
  }

 private:
  struct Entry {
    std::uint64_t stream = ~std::uint64_t{0};
    std::uint64_t last = 0;    // line
    std::uint64_t stride = 0;  // 0: none yet
    std::uint32_t seen = 0;    // times in a row
  };
  std::uint64_t key_of(const Access& access) const {
    std::uint64_t key = by_pc_ ? access.pc : 0;
    if (by_warp_) key = (key << 32 | key >> 32) ^ (std::uint64_t{access.sm} << 16 | access.by.warp);
    return key;
  }

  const StrideParams params_;
  const bool by_pc_, by_warp_;
  std::vector<Entry> table_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(Prefetcher, Stride, StrideParams, "stride",
                                   "Lines ahead in streams of equal strides, by warp or by instruction.");

}  // namespace
}  // namespace warpvp
