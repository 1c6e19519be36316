#include "modules/mmu/page_walker.h"

#include <algorithm>
#include <cstring>

#include "interconnect/outstanding.h"

namespace warpvp {

using tlm::tlm_generic_payload;

PageWalker::PageWalker(sc_core::sc_module_name name, ClockDomain& clock, DeviceMemory& memory,
                       const PageTables& tables, const PagedMmuConfig& config)
    : sc_module(name),
      clock_(clock),
      memory_(memory),
      tables_(tables),
      config_(config.walker),
      id_(clock.join(*this)),
      in_("in", *this),
      memory_port_("memory", *this),
      walks_(config.walker.walks) {
  const unsigned entries = config.walker.cache_entries;
  if (entries != 0) known_.assign(tables.levels(), TranslationCache<std::uint64_t>(entries, entries));
}

bool PageWalker::request(TargetPort&, tlm_generic_payload& payload) {
  questions_.put(clock_.next_edge(), &payload);
  clock_.wake(id_);
  return true;
}

bool PageWalker::response(InitiatorPort&, tlm_generic_payload& payload) {
  require_answer_ok(payload, memory_port_.socket, "page walk");
  reads_.put(clock_.next_edge(), &payload);
  clock_.wake(id_);
  return true;
}

void PageWalker::begin(Walk& walk, tlm_generic_payload& question, Cycle now) {
  const MemExtension& ext = MemExtension::of(question);
  ++launches_.of(ext.launch).walks;
  walk = {&question, now, now + config_.latency_cycles, 0, ext.page_table};
  if (!tables_.is_table(walk.table)) {  // the requester has none
    std::memset(question.get_data_ptr(), 0, question.get_data_length());
    return finish(walk, now);
  }
  if (config_.warm) {
    if (const auto last = tables_.last_table(walk.table, page_of(walk))) {
      walk.level = tables_.levels() - 1;
      walk.table = *last;
    }
    return;
  }
  for (unsigned level = tables_.levels(); known_.size() != 0 && level-- > 1;) {
    if (const std::uint64_t* table =
            known_[level].find(ext.context, tables_.table_key(level, page_of(walk)))) {
      walk.level = level;
      walk.table = *table;
      break;
    }
  }
}

void PageWalker::finish(Walk& walk, Cycle now) {
  launches_.of(MemExtension::of(*walk.question).launch).walk_cycles += now - walk.began;
  done_.push(walk.question);
  walk = Walk();
}

// An entry has been read: it leads to the table of the next level, or it is the end.
void PageWalker::take_read(tlm_generic_payload& read, Cycle now) {
  Walk& walk = walks_[MemExtension::of(read).token];
  tlm_generic_payload& question = *walk.question;
  const unsigned context = MemExtension::of(question).context;
  const std::uint64_t page = page_of(walk);
  const std::byte* const values = memory_.at(tables_.entry_address(walk.table, walk.level, page));
  if (walk.level + 1 == tables_.levels()) {
    std::memcpy(question.get_data_ptr(), values, question.get_data_length());
    finish(walk, now);
  } else {
    std::uint64_t entry = 0;
    std::memcpy(&entry, values, sizeof entry);
    if (entry & PageTables::kValid) {
      ++walk.level;
      walk.table = entry & PageTables::kAddressMask;
      walk.next_read = now;
      if (known_.size() != 0)
        known_[walk.level].insert(context, tables_.table_key(walk.level, page), walk.table);
    } else {
      std::memset(question.get_data_ptr(), 0, question.get_data_length());
      finish(walk, now);
    }
  }
  read.release();
}

void PageWalker::evaluate(Cycle now) {
  reads_.take(now, [&](tlm_generic_payload* read) { take_read(*read, now); });
  questions_.take(now, [&](tlm_generic_payload* question) { waiting_.push(question); });
  for (Walk& walk : walks_) {
    if (waiting_.empty()) break;
    if (walk.question) continue;
    begin(walk, *waiting_.front(), now);
    waiting_.pop();
  }
}

void PageWalker::send_read(Walk& walk) {
  const MemExtension& cause = MemExtension::of(*walk.question);
  const bool last = walk.level + 1 == tables_.levels();
  Transaction& t =
      pool_.make(tlm::TLM_READ_COMMAND, tables_.entry_address(walk.table, walk.level, page_of(walk)),
                 last ? walk.question->get_data_length() : 8);
  t.ext.context = cause.context;
  t.ext.launch = cause.launch;
  t.ext.kind = AccessKind::kTranslation;
  t.ext.token = static_cast<std::uint64_t>(&walk - walks_.data());
  walk.next_read = kNever;
  ++launches_.of(cause.launch).walk_reads;
  memory_port_.send(t);
}

Cycle PageWalker::commit(Cycle now) {
  if (!done_.empty() && in_.response_ready()) {
    tlm_generic_payload& payload = *done_.front();
    done_.pop();
    in_.respond(payload);
  }
  // The walk that has been ready the longest reads first.
  Walk* first = nullptr;
  for (Walk& walk : walks_)
    if (walk.next_read <= now && (!first || walk.next_read < first->next_read)) first = &walk;
  if (first && memory_port_.ready()) send_read(*first);

  Cycle next = !done_.empty() && in_.response_idle() ? now + 1 : kNever;
  if (memory_port_.idle())
    for (const Walk& walk : walks_)
      if (walk.next_read != kNever) next = std::min(next, std::max(now + 1, walk.next_read));
  return next;
}

}  // namespace warpvp
