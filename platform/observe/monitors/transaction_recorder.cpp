// Records the transactions of links into a SQLite database, and forwards everything untouched.

#include <fmt/format.h>

#include <unordered_map>

#include "base/error.h"
#include "base/registry.h"
#include "interconnect/link_monitor.h"
#include "platform/observe/monitors/transaction_database.h"

namespace warpvp {
namespace {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

std::uint64_t picoseconds(const sc_time& delay) {
  static const double kPerUnit = sc_core::sc_get_time_resolution().to_seconds() * 1e12;
  return static_cast<std::uint64_t>(
      static_cast<double>((sc_core::sc_time_stamp() + delay).value()) * kPerUnit + 0.5);
}

class Recorder final : public LinkMonitor,
                       private tlm::tlm_fw_transport_if<>,
                       private tlm::tlm_bw_transport_if<> {
 public:
  Recorder(sc_core::sc_module_name name, TransactionDatabase& database, const std::string& link)
      : LinkMonitor(name),
        target_("target"),
        initiator_("initiator"),
        database_(database),
        link_(database.add_link(link)) {
    target_.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator_.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }
  tlm::tlm_target_socket<>& target() override { return target_; }
  tlm::tlm_initiator_socket<>& initiator() override { return initiator_; }

 private:
  /// Keeps the payload until its end has been written: its owner may let go of it within a call.
  struct Hold {
    explicit Hold(tlm_generic_payload& p) : payload(p.has_mm() ? &p : nullptr) {
      if (payload) payload->acquire();
    }
    ~Hold() {
      if (payload) payload->release();
    }
    Hold(const Hold&) = delete;
    tlm_generic_payload* payload;
  };

  static RecordedTransaction begin(const tlm_generic_payload& payload, const sc_time& delay) {
    RecordedTransaction record;
    record.begin_ps = picoseconds(delay);
    record.command = payload.get_command();
    record.address = payload.get_address();
    record.bytes = payload.get_data_length();
    return record;
  }
  void phase(tlm_generic_payload& payload, const tlm_phase& phase, const sc_time& delay) {
    const auto at = open_.find(&payload);
    if (at == open_.end()) return;
    if (phase == tlm::END_REQ) {
      at->second.request_end_ps = picoseconds(delay);
    } else if (phase == tlm::BEGIN_RESP) {
      at->second.response_begin_ps = picoseconds(delay);
    } else if (phase == tlm::END_RESP) {
      end(payload, delay);
    }
  }
  void end(tlm_generic_payload& payload, const sc_time& delay) {
    const auto at = open_.find(&payload);
    if (at == open_.end()) return;
    at->second.end_ps = picoseconds(delay);
    database_.add(link_, at->second, payload);
    open_.erase(at);
  }

  tlm_sync_enum nb_transport_fw(tlm_generic_payload& payload, tlm_phase& p, sc_time& delay) override {
    const Hold hold(payload);
    if (p == tlm::BEGIN_REQ) {
      open_.insert_or_assign(&payload, begin(payload, delay));
    } else {
      phase(payload, p, delay);
    }
    const tlm_sync_enum status = initiator_->nb_transport_fw(payload, p, delay);
    if (status == tlm::TLM_UPDATED) phase(payload, p, delay);
    if (status == tlm::TLM_COMPLETED) end(payload, delay);
    return status;
  }
  tlm_sync_enum nb_transport_bw(tlm_generic_payload& payload, tlm_phase& p, sc_time& delay) override {
    const Hold hold(payload);
    phase(payload, p, delay);
    const tlm_sync_enum status = target_->nb_transport_bw(payload, p, delay);
    if (status == tlm::TLM_UPDATED) phase(payload, p, delay);
    if (status == tlm::TLM_COMPLETED) end(payload, delay);
    return status;
  }
  void b_transport(tlm_generic_payload& payload, sc_time& delay) override {
    RecordedTransaction record = begin(payload, delay);
    initiator_->b_transport(payload, delay);
    record.end_ps = picoseconds(delay);
    database_.add(link_, record, payload);
  }
  unsigned transport_dbg(tlm_generic_payload& payload) override { return initiator_->transport_dbg(payload); }
  bool get_direct_mem_ptr(tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return initiator_->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    target_->invalidate_direct_mem_ptr(start, end);
  }

  tlm::tlm_target_socket<> target_;
  tlm::tlm_initiator_socket<> initiator_;
  TransactionDatabase& database_;
  unsigned link_;
  std::unordered_map<const tlm_generic_payload*, RecordedTransaction> open_;
};

struct RecorderConfig {
  std::string file = "transactions.db";
  std::uint64_t limit = 10'000'000;
  void fields(FieldVisitor& v) {
    v.field("file", file, "Name of the SQLite database in the run's folder.");
    v.field("limit", limit, "transactions", "Most transactions to write; further ones are counted.",
            Constraint::at_least(1));
    v.require(!file.empty() && file.find('/') == std::string::npos && file != "result.json", "file",
              "must be a file name without folders, and not result.json");
  }
};

class RecorderType final : public LinkMonitorType {
 public:
  explicit RecorderType(const RecorderConfig& config) : config_(config) {}
  void start(const std::filesystem::path& folder) override {
    database_ = std::make_unique<TransactionDatabase>(folder / config_.file, config_.limit);
  }
  std::unique_ptr<LinkMonitor> build(const char* name, const LinkPlace& place) override {
    return std::make_unique<Recorder>(name, *database_, place.link);
  }
  void finish() override { database_->finish(); }

 private:
  RecorderConfig config_;
  std::unique_ptr<TransactionDatabase> database_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    LinkMonitorType, RecorderType, RecorderConfig, "transaction_recorder",
    "Writes every transaction of the links, with its phases, into a SQLite database.");

}  // namespace
}  // namespace warpvp
