#include "interconnect/outstanding.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "interconnect/transaction.h"

namespace warpvp {

namespace {

/// Calls `visit` with each pool of the objects and of what they are made of.
template <class Visit>
void each_pool(const std::vector<sc_core::sc_object*>& objects, const Visit& visit) {
  for (const sc_core::sc_object* object : objects) {
    if (const auto* pool = dynamic_cast<const TransactionPool*>(object)) visit(*pool);
    each_pool(object->get_child_objects(), visit);
  }
}

/// Reads that wait for what may never happen.
bool listens(const Transaction& transaction) { return transaction.ext.kind == AccessKind::kRecall; }

void add_unanswered(const TransactionPool& pool, std::vector<Unanswered>& found) {
  if (pool.in_flight() == 0) return;
  for (const auto& transaction : pool.all()) {
    if (transaction->get_ref_count() == 0 || listens(*transaction)) continue;
    const Transaction::Whereabouts& at = transaction->whereabouts;
    // A target may hold on to what it has answered.
    if (at.link != nullptr && at.links == 0) continue;
    Unanswered u;
    u.state = at.link == nullptr ? Unanswered::State::kQueued
              : at.came_back     ? Unanswered::State::kAnswered
                                 : Unanswered::State::kSent;
    u.link = at.link;
    u.owner = pool.get_parent_object();
    u.block = at.link == nullptr ? u.owner : at.link->get_parent_object();
    u.command = transaction->get_command();
    u.address = transaction->get_address();
    u.bytes = transaction->get_data_length();
    u.since = sc_core::sc_time::from_value(at.made);
    found.push_back(u);
  }
}

}  // namespace

std::vector<Unanswered> unanswered() {
  std::vector<Unanswered> found;
  each_pool(sc_core::sc_get_top_level_objects(),
            [&](const TransactionPool& pool) { add_unanswered(pool, found); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Unanswered& a, const Unanswered& b) { return a.since < b.since; });
  return found;
}

std::size_t in_flight_since(const sc_core::sc_time& time) {
  std::size_t count = 0;
  each_pool(sc_core::sc_get_top_level_objects(), [&](const TransactionPool& pool) {
    if (pool.in_flight() == 0) return;
    for (const auto& transaction : pool.all())
      count += transaction->get_ref_count() != 0 && !listens(*transaction) &&
               transaction->whereabouts.made <= time.value();
  });
  return count;
}

void require_answer_ok(const tlm::tlm_generic_payload& answered, const sc_core::sc_object& link,
                       const char* purpose) {
  if (answered.is_response_ok()) return;
  const std::string text =
      fmt::format("{}: {} ({} of {} bytes at address {:#x}) was answered {}", link.name(), purpose,
                  answered.is_write() ? "write" : "read", answered.get_data_length(), answered.get_address(),
                  answered.get_response_string());
  SC_REPORT_ERROR(kFailedAccess, text.c_str());  // throws, unless somebody has changed what errors do
  throw std::logic_error(text);
}

}  // namespace warpvp
