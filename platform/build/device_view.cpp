// What the command processor's firmware and its messages know of the rest of the device: performance counters
// and the names of registers.
#include "platform/build/platform.h"

namespace warpvp {

namespace {

/// Bytes that a memory channel has moved, from its statistics.
class MovedBytes : public StatVisitor {
 public:
  void value(const char* key, std::uint64_t value, const char*, const char*) override {
    if (key == std::string("read_bytes") || key == std::string("written_bytes")) bytes += value;
  }
  void value(const char*, double, const char*, const char*) override {}
  std::uint64_t bytes = 0;

 protected:
  void begin_group(const char*, const char*) override {}
  void end_group() override {}
};

template <class Parts, class Value>
std::uint64_t sum(const Parts& parts, Value value) {
  std::uint64_t total = 0;
  for (const auto& part : parts) total += value(*part);
  return total;
}

}  // namespace

void Platform::show_device_to_firmware() {
  RegisterDirectory& directory = command_processor_->directory();
  directory.add("WORK_DISTRIBUTOR", "WD", distributor_->register_block(), regmap::wd::kBase);
  directory.add("DMA", "DMA", dma_.front()->register_block(), regmap::dma::kBase,
                static_cast<unsigned>(dma_.size()), regmap::dma::kStride);
  directory.add("MEMORY_MANAGER", "", memory_manager_->register_block(), regmap::mm::kBase);
  if (bandwidth_controller_)
    directory.add("BANDWIDTH", "", bandwidth_controller_->register_block(), regmap::bandwidth::kBase);
  directory.add("SM", "", sms_.front()->register_block(), regmap::sm::kBase,
                static_cast<unsigned>(sms_.size()), regmap::sm::kStride);

  using Counter = PerformanceCounter;
  const auto connect = [this](Counter counter, std::function<std::uint64_t()> read) {
    command_processor_->connect(counter, std::move(read));
  };
  connect(Counter::kSmCycles, [this] { return sm_clock_->now(); });
  connect(Counter::kWarpInstructions,
          [this] { return sum(sms_, [](const Sm& sm) { return sm.counters().issued; }); });
  connect(Counter::kCtasIssued, [this] { return distributor_->statistics().ctas_issued; });
  connect(Counter::kCtasDone, [this] { return distributor_->statistics().ctas_done; });
  connect(Counter::kL2Accesses, [this] {
    return sum(memory_system_->banks(), [](const L2Bank& bank) { return bank.launches().total().accesses; });
  });
  connect(Counter::kL2Misses, [this] {
    return sum(memory_system_->banks(), [](const L2Bank& bank) { return bank.launches().total().misses; });
  });
  connect(Counter::kDramBytes, [this] {
    return sum(memory_system_->channels(), [](const MemoryChannel& channel) {
      MovedBytes moved;
      channel.stats(moved);
      return moved.bytes;
    });
  });
  connect(Counter::kRegisterAccesses, [this] { return bus_->accesses(); });
}

}  // namespace warpvp
