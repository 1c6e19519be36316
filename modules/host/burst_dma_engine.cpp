#include "modules/host/burst_dma_engine.h"

#include <utility>

namespace warpvp {

using sc_core::sc_time;

void BurstDmaConfig::fields(FieldVisitor& v) {
  v.field("burst_bytes", burst_bytes, "bytes", "Transfers are cut into bursts of this size.",
          Constraint::pow2(64, 65536));
  v.field("bursts", bursts, "bursts",
          "Bursts that an engine has under way at once; a transfer that is to overtake waits for them.",
          Constraint::range(1, 256));
  v.field("memory_requests", memory_requests, "requests",
          "Requests to device memory that one channel has under way at once, each of at most an L2 line.",
          Constraint::range(1, 4096));
  v.field("setup_ns", setup_ns, "ns", "From start until a channel's first burst may be chosen.",
          Constraint::at_least(0));
  v.field(
      "values", values,
      "Move the bytes too. false: a copy takes its time and makes its traffic, and the memory of device and "
      "host stays what it is; for runs that compute nothing, as sm.type: profile.");
  v.field("traffic", traffic, kCopyTrafficSentence);
}

void TransferEngine::join(BurstDmaEngine& channel, unsigned id, int priority) {
  if (channels_.size() <= id) channels_.resize(id + 1, nullptr);
  channels_[id] = &channel;
  arbiter_.join(id, priority);
  start_bursts();
}

void TransferEngine::start_bursts() {
  while (under_way_ < most_) {
    const std::optional<unsigned> id = arbiter_.grant();
    if (!id) return;
    CopyObserver* const observer = channels_[*id]->observer();
    if (under_way_++ == 0) {
      since_ = sc_core::sc_time_stamp();
      bursts_before_ = bursts_;
      if (observer) observer->engine_works({direction_, since_, 0});
    }
    ++bursts_;
    if (observer) tell_granted(*id);
    if (!channels_[*id]->start_burst()) arbiter_.leave(*id);
  }
}

void TransferEngine::tell_granted(unsigned id) {
  for (const unsigned other : arbiter_.overtaken())
    channels_[other]->observer()->copy_overtaken(channels_[other]->record());
  if (arbiter_.goes_on()) channels_[id]->observer()->copy_goes_on(channels_[id]->record());
}

void TransferEngine::burst_done(BurstDmaEngine& channel) {
  if (--under_way_ == 0) {
    busy_ += sc_core::sc_time_stamp() - since_;
    if (CopyObserver* const observer = channel.observer())
      observer->engine_rests({direction_, since_, bursts_ - bursts_before_});
  }
  start_bursts();
}

double TransferEngine::busy_us() const {
  const sc_time open = under_way_ > 0 ? sc_core::sc_time_stamp() - since_ : sc_core::SC_ZERO_TIME;
  return (busy_ + open).to_seconds() * 1e6;
}

BurstDmaEngine::BurstDmaEngine(sc_core::sc_module_name name, const BurstDmaConfig& config,
                               const DmaPlace& place, std::shared_ptr<TransferEngines> engines)
    : PiecewiseDmaEngine(name,
                         {config.burst_bytes, config.bursts, config.memory_requests, config.setup_ns,
                          config.values, config.traffic},
                         place),
      engines_(std::move(engines)) {}

TransferEngine& BurstDmaEngine::engine() const {
  if (!is_fill() && regmap::is_host_bus(copy().source)) return engines_->to_device;
  return regmap::is_host_bus(copy().destination) ? engines_->to_host : engines_->on_device;
}

DmaStats BurstDmaEngine::statistics() const {
  DmaStats stats = PiecewiseDmaEngine::statistics();
  if (index() != 0) return stats;
  const TransferEngines& e = *engines_;
  stats.to_device_busy_us = e.to_device.busy_us();
  stats.to_host_busy_us = e.to_host.busy_us();
  stats.on_device_busy_us = e.on_device.busy_us();
  stats.bursts = e.to_device.bursts() + e.to_host.bursts() + e.on_device.bursts();
  for (const TransferEngine* engine : {&e.to_device, &e.to_host, &e.on_device}) {
    stats.switches += engine->arbiter().switches();
    stats.overtakings += engine->arbiter().overtakings();
  }
  return stats;
}

namespace {

class BurstDmaType : public DmaEngineType {
 public:
  explicit BurstDmaType(const BurstDmaConfig& config)
      : config_(config), engines_(std::make_shared<TransferEngines>(config.bursts)) {}
  std::unique_ptr<DmaEngine> build(const char* name, const DmaPlace& place) const override {
    return std::make_unique<BurstDmaEngine>(name, config_, place, engines_);
  }

 private:
  BurstDmaConfig config_;
  std::shared_ptr<TransferEngines> engines_;
};

WARPVP_REGISTER_BLOCK(DmaEngineType, BurstDmaType, BurstDmaConfig, "burst",
                      "Channels whose copies take turns burst by burst, by priority, on an engine for each "
                      "direction.");

}  // namespace
}  // namespace warpvp
