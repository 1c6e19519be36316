#include "ptx/machine/dependences.h"

#include <unordered_map>

#include "ptx/liveness.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/latencies.h"

namespace warpvp::ptx::machine {
namespace {

constexpr std::uint32_t kNobody = 0xffffffffu;

// The last write of a register and the reads since then.
struct Uses {
  std::uint32_t writer = kNobody;
  std::uint32_t writes = 0;  // so far: the version of the value
  std::vector<std::uint32_t> readers;
};

struct Access {
  std::uint32_t at;
  bool is_memory;
  MemoryUse use;
  std::uint32_t version;  // of the base register
};

class Builder {
 public:
  Builder(const ir::Module& m, const ir::Function& f, std::uint32_t begin, std::uint32_t end)
      : m_(m), f_(f), begin_(begin), result_(end - begin) {
    for (std::uint32_t i = begin; i < end; ++i) latency_.push_back(expected_latency(f.code[i]));
  }

  std::vector<std::vector<Dependence>> run() {
    for (std::uint32_t k = 0; k < result_.size(); ++k) {
      const ir::Instruction& i = f_.code[begin_ + k];
      memory(i, k);
      registers_read(i, read_);
      registers_written(i, written_);
      if (reads_carry(i)) read_.push_back(kCarry);
      if (writes_carry(i)) written_.push_back(kCarry);
      // What a guarded write leaves in place is read.
      if (i.guard >= 0) read_.insert(read_.end(), written_.begin(), written_.end());
      for (const int r : read_) {
        Uses& u = uses_[r];
        if (u.writer != kNobody) add(u.writer, k, latency_[u.writer]);
        u.readers.push_back(k);
      }
      for (const int r : written_) {
        Uses& u = uses_[r];
        for (const std::uint32_t reader : u.readers) add(reader, k, 0);
        if (u.writer != kNobody) add(u.writer, k, 1);
        u.writer = k;
        u.readers.clear();
        ++u.writes;
      }
    }
    return std::move(result_);
  }

 private:
  static constexpr int kCarry = -2;

  void add(std::uint32_t from, std::uint32_t to, std::uint32_t latency) {
    if (from != to) result_[from].push_back({to, latency});
  }

  void memory(const ir::Instruction& i, std::uint32_t k) {
    const Order order = order_of(i);
    if (order == Order::kPure) return;
    Access now{k, order == Order::kMemory, {}, 0};
    if (now.is_memory) {
      now.use = memory_use(f_, i);
      const ir::Operand* a = now.use.address;
      if (a && a->base == ir::Operand::Base::kRegister) now.version = uses_[a->index].writes;
    }
    for (const Access& before : accesses_) {
      bool ordered = true;
      if (before.is_memory && now.is_memory) {
        MemoryUse first = before.use;
        const bool one_base =
            first.address && now.use.address && first.address->index == now.use.address->index;
        if (one_base && before.version != now.version) first.address = nullptr;
        ordered = must_stay_in_order(m_, f_, first, now.use);
      } else {
        ordered = !(before.is_memory && before.use.read_only) && !(now.is_memory && now.use.read_only);
      }
      // Memory takes effect in the order of issue.
      if (ordered) add(before.at, k, 1);
    }
    accesses_.push_back(now);
  }

  const ir::Module& m_;
  const ir::Function& f_;
  const std::uint32_t begin_;
  std::vector<std::vector<Dependence>> result_;
  std::vector<unsigned> latency_;
  std::unordered_map<int, Uses> uses_;  // by register; kCarry: the carry
  std::vector<Access> accesses_;
  std::vector<int> read_, written_;
};

}  // namespace

std::vector<std::vector<Dependence>> dependences(const ir::Module& m, const ir::Function& f,
                                                 std::uint32_t begin, std::uint32_t end) {
  return Builder(m, f, begin, end).run();
}

}  // namespace warpvp::ptx::machine
