#include "modules/command_processor/queued_command_processor.h"

#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "modules/command_processor/firmware_machine.h"
#include "modules/command_processor/hardware/hardware_sequencer.h"
#include "modules/command_processor/queues/decision_log.h"

namespace warpvp {

QueuedCommandProcessor::QueuedCommandProcessor(sc_core::sc_module_name name,
                                               const CommandProcessorConfig& config, unsigned slots,
                                               unsigned dma_engines, ClockDomain& domain, FaultSink& faults,
                                               std::function<void(const std::string&)> print,
                                               const CoreFactory& make_core, const DeviceFacts& device)
    : CommandProcessor(name),
      queues_("queues", config, slots, dma_engines, domain),
      registers(queues_.registers),
      bus(queues_.bus),
      memory(queues_.memory),
      host(queues_.host) {
  directory().add("COMMAND_PROCESSOR", "CP", queues_.register_block(), regmap::cp::kBase);
  if (!config.decisions.empty()) {
    decisions_ = std::make_unique<DecisionLog>(config.decisions);
    queues_.add_observer(*decisions_);
  }
  const CoreFactory factory = make_core ? make_core : core_factory(config.type);
  if (!factory) {
    hardware_ = std::make_unique<HardwareSequencer>(config, queues_);
    queues_.set_sequencer(*hardware_);
    return;
  }
  if (config.console == "terminal") {
    print_ = std::move(print);
  } else if (config.console != "none") {
    auto file = std::make_shared<std::ofstream>(config.console, std::ios::binary);
    if (!*file)
      throw InputError(
          fmt::format("command_processor.console: cannot write {}; allowed: terminal, none, or a file in a "
                      "folder that exists",
                      config.console));
    print_ = [file](const std::string& text) { *file << text << std::flush; };
  }
  firmware_ = std::make_unique<FirmwareMachine>(
      "firmware", config, queues_, factory, faults, directory(), [this](char byte) { send_to_console(byte); },
      device);
  queues_.set_sequencer(firmware_->sequencer());
}

QueuedCommandProcessor::~QueuedCommandProcessor() { flush_console(); }

void QueuedCommandProcessor::send_to_console(char byte) {
  if (!print_) return;
  console_line_ += byte;
  if (byte == '\n') flush_console();
}

void QueuedCommandProcessor::flush_console() {
  if (!console_line_.empty()) print_(console_line_);
  console_line_.clear();
}

void QueuedCommandProcessor::connect(RegisterBus& register_bus) {
  register_bus.connect_target("command_processor", regmap::cp::kBase, regmap::cp::kBytes, registers);
  register_bus.connect_initiator("command_processor", bus);
  if (firmware_) firmware_->connect(register_bus);
}

void QueuedCommandProcessor::connect(PerformanceCounter counter, std::function<std::uint64_t()> read) {
  if (firmware_) firmware_->counters().connect(counter, std::move(read));
}

FirmwareCore* QueuedCommandProcessor::core() { return firmware_ ? &firmware_->core() : nullptr; }

namespace {
constexpr const char* kWordKeys[regmap::sysctl::kReportCount] = {
    "word_0",  "word_1",  "word_2",  "word_3",  "word_4",  "word_5",  "word_6",  "word_7",
    "word_8",  "word_9",  "word_10", "word_11", "word_12", "word_13", "word_14", "word_15",
    "word_16", "word_17", "word_18", "word_19", "word_20", "word_21", "word_22", "word_23",
    "word_24", "word_25", "word_26", "word_27", "word_28", "word_29", "word_30", "word_31"};

struct Reported {
  std::vector<std::uint32_t> words;
  void stats(StatVisitor& v) const {
    for (std::size_t i = 0; i < std::size(kWordKeys); ++i)
      v.when(i < words.size(), "when so many words were reported", [&] {
        v.value(kWordKeys[i], std::uint64_t{i < words.size() ? words[i] : 0}, "value",
                "What it means is the policy's business.");
      });
  }
};

template <class Core>
void visit_core(StatVisitor& v, const Core& core, std::uint64_t late_ticks, const Reported& reported) {
  v.value("late_ticks", late_ticks, "periods",
          "Periods of the policy (period_us, or its own) that passed without its tick, as the firmware counts them.");
  v.group("core", core, "The core that runs the firmware.");
  v.when(!reported.words.empty(), "with a policy of the firmware that reports something",
         [&] { v.group("reported", reported, "What the policy has put into the registers REPORT."); });
}
}  // namespace

void QueuedCommandProcessor::stats(StatVisitor& v) const {
  queues_.statistics().stats(v);
  if (firmware_) visit_core(v, firmware_->core(), firmware_->late_ticks(), {firmware_->reported()});
}

std::string QueuedCommandProcessor::describe() const {
  std::string text = queues_.describe();
  if (firmware_) text += firmware_->core().describe() + "\n";
  return text;
}

// Firmware that executes, or that a timer will wake, may start what waits, or take it from its SM.
Outlook QueuedCommandProcessor::outlook() const {
  if (firmware_ && !firmware_->core().rests()) return Outlook::kActs;
  return queues_.outlook();
}

bool QueuedCommandProcessor::at_rest() const {
  return !queues_.work_pending() && queues_.outlook() == Outlook::kRests;
}

namespace {

/// Files that a run writes lie in its folder unless their paths are absolute.
void place_outputs(CommandProcessorConfig& config, const std::filesystem::path& folder) {
  const auto place = [&](std::string& file) {
    if (!file.empty()) file = (folder / file).string();
  };
  place(config.decisions);
  place(config.core.observe.trace);
  place(config.core.observe.profile);
  if (config.console != "terminal" && config.console != "none") place(config.console);
}

class QueuedType : public CommandProcessorType {
 public:
  explicit QueuedType(const CommandProcessorConfig& config) : config_(config) {}
  void visit_stats(StatVisitor& v) const override {
    QueueStats().stats(v);
    const std::string& type = config_.type == "assisted" ? config_.assisted_core : config_.type;
    if (const CoreStats stats = core_stats(type); stats.visit) visit_core(v, stats, 0, {});
  }
  std::unique_ptr<CommandProcessor> build(const char* name,
                                          const CommandProcessorPlace& place) const override {
    CommandProcessorConfig config = config_;
    config.queues = place.queues;
    place_outputs(config, place.folder);
    return std::make_unique<QueuedCommandProcessor>(name, config, place.slots, place.dma_engines, place.clock,
                                                    place.faults, place.print, CoreFactory(), place.device);
  }

 private:
  CommandProcessorConfig config_;
};

/// One registered type a kind of core, and `hardware`.
[[maybe_unused]] const bool registered = [] {
  for (const CoreTypeInfo& type : command_processor_types())
    Registry<CommandProcessorType>::instance().add(
        type.name, type.doc,
        [](FieldVisitor& v) {
          CommandProcessorConfig config;
          config.fields(v);
        },
        [name = type.name](const PolicyChoice& choice, const NoContext&) {
          auto config = fields_of<CommandProcessorConfig>(choice);
          config.type = name;
          return std::make_unique<QueuedType>(config);
        });
  return true;
}();

}  // namespace
}  // namespace warpvp
