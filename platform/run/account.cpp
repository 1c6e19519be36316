#include "platform/run/account.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/outstanding.h"
#include "platform/build/platform.h"

namespace warpvp {

namespace {

/// Whether `object` is `block` or a part of it.
bool within(const sc_core::sc_object* object, const sc_core::sc_object* block) {
  for (; object != nullptr; object = object->get_parent_object())
    if (object == block) return true;
  return false;
}

std::string in_words(const Unanswered& u, const Links::End* end) {
  const double us = (sc_core::sc_time_stamp() - u.since).to_seconds() * 1e6;
  const char* const what = u.command == tlm::TLM_WRITE_COMMAND ? "write" : "read";
  const std::string access = fmt::format("{} of {} bytes at address {:#x}", what, u.bytes, u.address);
  if (u.state == Unanswered::State::kQueued)
    return fmt::format("{} has not sent its {} for {:.1f} us", u.block ? u.block->name() : "a block", access,
                       us);
  const std::string link =
      end ? fmt::format("link {} ({})", end->link, u.link->name()) : fmt::format("link {}", u.link->name());
  if (u.state == Unanswered::State::kAnswered)
    return fmt::format("{}: the answer to a {} was not passed on for {:.1f} us", link, access, us);
  return fmt::format("{}: {} unanswered for {:.1f} us", link, access, us);
}

}  // namespace

std::string describe_unanswered(const Platform& platform, const sc_core::sc_time& at_least) {
  const std::vector<Unanswered> all = unanswered();
  if (all.empty()) return {};
  const auto end_of = [&](const Unanswered& u) -> const Links::End* {
    for (const Links::End& end : platform.links().ends())
      if (end.from == u.link) return &end;
    return nullptr;
  };
  // A block that waits for an answer itself is not the one to blame, and neither is one whose link is taken.
  const auto waits = [&](const sc_core::sc_object* block) {
    return std::any_of(all.begin(), all.end(), [&](const Unanswered& other) {
      return other.state != Unanswered::State::kQueued &&
             (within(other.block, block) || within(other.owner, block));
    });
  };
  const auto to_blame = [&](const Unanswered& u) {
    if (u.state == Unanswered::State::kQueued) return u.block == nullptr || !waits(u.block);
    if (u.state == Unanswered::State::kAnswered) return true;
    const Links::End* const end = end_of(u);
    return end == nullptr || end->target == nullptr || !waits(end->target);
  };
  auto first = std::find_if(all.begin(), all.end(), to_blame);
  if (first == all.end()) first = all.begin();  // they wait for each other in a circle
  if (sc_core::sc_time_stamp() - first->since < at_least) return {};
  std::string text = in_words(*first, end_of(*first));
  if (all.size() == 2) text += "; 1 other is unanswered too";
  if (all.size() > 2) text += fmt::format("; {} others are unanswered too", all.size() - 1);
  return text;
}

}  // namespace warpvp
