#include "interconnect/transaction.h"

#include <cassert>

namespace warpvp {

MemExtension& MemExtension::attach(tlm::tlm_generic_payload& payload) {
  auto* ext = new MemExtension;
  if (payload.has_mm()) {
    payload.set_auto_extension(ext);  // freed when the payload returns to its own pool
  } else {
    payload.set_extension(ext);
  }
  return *ext;
}

Transaction::Transaction(tlm::tlm_mm_interface* pool) : tlm_generic_payload(pool) { set_extension(&ext); }

void Transaction::carry(std::vector<unsigned char> data) {
  carried_ = std::move(data);
  set_data_ptr(carried_.data());
  set_data_length(static_cast<unsigned>(carried_.size()));
  set_streaming_width(static_cast<unsigned>(carried_.size()));
}

TransactionPool::~TransactionPool() {
  for (auto& transaction : all_) transaction->clear_extension(&transaction->ext);
}

Transaction& TransactionPool::make(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
  assert(bytes <= Transaction::kScratchBytes);
  if (free_.empty()) {
    all_.push_back(std::unique_ptr<Transaction>(new Transaction(this)));
    free_.push_back(all_.back().get());
  }
  Transaction& t = *free_.back();
  free_.pop_back();
  t.set_command(command);
  t.set_address(address);
  t.set_data_ptr(t.scratch);
  t.set_data_length(bytes);
  t.set_streaming_width(bytes);
  t.set_byte_enable_ptr(nullptr);
  t.set_byte_enable_length(0);
  t.set_dmi_allowed(false);
  t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  t.ext.kernel_slot = MemExtension::kNone;
  t.ext.context = 0;
  t.ext.sm = MemExtension::kNone;
  t.ext.warp = MemExtension::kNone;
  t.ext.launch = 0xffffffffu;
  t.ext.kind = AccessKind::kLoad;
  t.ext.dram_accesses = 0;
  t.ext.in_turn = 0;
  t.ext.issue_cycle = 0;
  t.ext.token = 0;
  t.ext.page_table = 0;
  t.ext.hops = 0;
  t.whereabouts = {};
  t.whereabouts.made = sc_core::sc_time_stamp().value();
  t.acquire();
  return t;
}

void TransactionPool::free(tlm::tlm_generic_payload* payload) {
  payload->reset();  // drops the automatic extensions that others attached on the way
  free_.push_back(static_cast<Transaction*>(payload));
}

}  // namespace warpvp
