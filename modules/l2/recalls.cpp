#include "modules/l2/recalls.h"

#include <algorithm>
#include <cstring>

#include "interconnect/transaction.h"

namespace warpvp {

Recalls::Recalls(std::uint32_t lines, unsigned sms, Cycle latency)
    : sms_(sms),
      latency_(latency),
      words_((sms + 63) / 64),
      bits_(std::size_t{lines} * words_, 0),
      open_(sms),
      waiting_(sms) {}

unsigned Recalls::holders(std::uint32_t line) const {
  unsigned sum = 0;
  for (unsigned w = 0; w < words_; ++w)
    sum += static_cast<unsigned>(__builtin_popcountll(bits_[std::size_t{line} * words_ + w]));
  return sum;
}

unsigned Recalls::replace(std::uint32_t line, const std::uint64_t* address, std::uint32_t launch, Cycle now) {
  unsigned recalled = 0;
  for (unsigned w = 0; w < words_; ++w) {
    std::uint64_t& word = bits_[std::size_t{line} * words_ + w];
    for (std::uint64_t rest = address ? word : 0; rest; rest &= rest - 1) {
      const unsigned sm = w * 64 + static_cast<unsigned>(__builtin_ctzll(rest));
      ++recalled;
      if (open_[sm].empty()) {
        waiting_[sm].push_back({*address, launch});
      } else {
        answer(*open_[sm].back(), {*address, launch}, now + latency_);
        open_[sm].pop_back();
      }
    }
    word = 0;
  }
  return recalled;
}

void Recalls::forget_holders() { std::fill(bits_.begin(), bits_.end(), 0); }

bool Recalls::listen(tlm::tlm_generic_payload& payload, Cycle now) {
  const MemExtension* const ext = MemExtension::find(payload);
  if (!ext || ext->kind != AccessKind::kRecall || ext->sm >= sms_ || !payload.is_read() ||
      payload.get_data_length() != sizeof(std::uint64_t))
    return false;
  std::deque<Waiting>& waiting = waiting_[ext->sm];
  if (waiting.empty()) {
    open_[ext->sm].push_back(&payload);
  } else {
    answer(payload, waiting.front(), now + latency_);
    waiting.pop_front();
  }
  return true;
}

void Recalls::answer(tlm::tlm_generic_payload& payload, const Waiting& recall, Cycle ready) {
  std::memcpy(payload.get_data_ptr(), &recall.address, sizeof recall.address);
  MemExtension::of(payload).launch = recall.launch;
  ready_.push({&payload, ready});
}

}  // namespace warpvp
