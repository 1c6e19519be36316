#include "modules/host/endpoint_registers.h"

#include <algorithm>
#include <cstring>

namespace warpvp {

namespace ep = regmap::ep;

namespace {
/// In the lower half of BURST and MEMORY_BURST while nothing has been written there: no burst begins there.
constexpr std::uint64_t kNoOffset = 0xffff'ffff;
}  // namespace

EndpointRegisters::EndpointRegisters(const EndpointPart& part, EndpointActions actions)
    : block_(
          "Endpoint", ep::kBytes,
          "Of the PCI function, at the beginning of BAR 0, where the host is outside: each client of a "
          "device that is [served](serve.md) has its own, and so has "
          "[`warpvp::Gpu`](embedding.md#in-a-platform-of-your-own), without PACE, UNTIMED, WAIT and ADVANCE. "
          "Accesses take no simulated time.") {
  add_facts(part);
  block_.add(in_halves({"TIME", ep::kTime, 8, 1, 0, RegisterAccess::kReadOnly, 0, "Simulated time in fs.",
                        [now = actions.now_fs](unsigned) { return now(); }}));
  add_error();
  add_bursts(std::move(actions));
  add_words(part);
}

void EndpointRegisters::add_facts(const EndpointPart& part) {
  const auto fact = [&](const char* name, std::uint64_t at, unsigned width, std::uint64_t value,
                        const char* doc) {
    block_.add(in_halves({name, at, width, 1, 0, RegisterAccess::kReadOnly, value, doc}));
  };
  fact("IDENTITY", ep::kIdentity, 4, ep::kIdentityValue, "\"WRVP\".");
  fact("VERSION", ep::kVersion, 4, ep::kVersionValue, "Of these registers.");
  fact("DMA_BASE", ep::kDmaBase, 8, part.dma_base,
       "Bus address, as packets and registers of the device have them, of the client's DMA address 0.");
  fact("DMA_BYTES", ep::kDmaBytes, 8, part.dma_bytes, "DMA addresses that the device reaches.");
  fact("MEMORY_BASE", ep::kMemoryBase, 8, regmap::kMemoryBase, "Device address of the first byte of BAR 2.");
  fact("MEMORY_BYTES", ep::kMemoryBytes, 8, part.memory_bytes,
       "Device memory in BAR 2; behind it there is none.");
  fact("CONTEXT", ep::kContext, 4, part.context, "Context that is the client's.");
  fact("FIRST_QUEUE", ep::kFirstQueue, 4, part.first_queue, "First queue that is the client's.");
  fact("QUEUES", ep::kQueues, 4, part.queues, "Queues that are the client's.");
  fact("VECTORS", ep::kVectors, 4, part.vectors, "MSI-X vectors. Vector 0 is for errors.");
  fact("FIRST_INTERRUPT", ep::kFirstInterrupt, 4, part.first_interrupt,
       "What the device's registers call vector 0; the others follow.");
}

void EndpointRegisters::add_error() {
  RegisterSpec error{
      "ERROR",
      ep::kError,
      4,
      1,
      0,
      RegisterAccess::kReadWrite,
      0,
      "What went wrong: bit 0 a device fault has stopped the device for good, 1 a write to BAR 0 or BAR 2 "
      "found "
      "nobody, 2 the device has accessed a DMA address that is not open, or raised an interrupt that there "
      "is not, 3 a fault has ended the client's "
      "context. Each raises vector 0. Any write clears it."};
  error.write = [this](unsigned, std::uint64_t) {
    block_.set(error_, 0);
    block_.set(error_address_, 0);
    std::fill(std::begin(text_), std::end(text_), 0);
  };
  error_ = block_.add(std::move(error));
  error_address_ =
      block_.add(in_halves({"ERROR_ADDRESS", ep::kErrorAddress, 8, 1, 0, RegisterAccess::kReadOnly, 0,
                            "Where the first error of ERROR was; 0: nowhere."}));
}

void EndpointRegisters::add_bursts(EndpointActions actions) {
  burst_ = block_.add(in_halves(
      {"BURST",
       ep::kBurst,
       8,
       1,
       0,
       RegisterAccess::kWriteOnly,
       0,
       "Bytes << 32 | offset in BAR 0: writes so many bytes of BURST_DATA there as one burst, for records "
       "that a register takes whole. By halves: the upper one first.",
       {},
       [this, burst = std::move(actions.burst)](unsigned, std::uint64_t value) {
         if ((value & kNoOffset) == kNoOffset) return;  // the lower half is to come
         block_.set(burst_, kNoOffset);
         const auto bytes = static_cast<std::uint32_t>(value >> 32);
         if (bytes != 0) burst(static_cast<std::uint32_t>(value), bytes);
       }}));
  memory_burst_ = block_.add(in_halves(
      {"MEMORY_BURST",
       ep::kMemoryBurst,
       8,
       1,
       0,
       RegisterAccess::kWriteOnly,
       0,
       "Bytes << 48 | offset in BAR 2: writes so many bytes of BURST_DATA there as one burst, as a "
       "processor's "
       "write-combining buffer does; with bit 63 in no simulated time. By halves: the upper one first.",
       {},
       [this, burst = std::move(actions.memory_burst)](unsigned, std::uint64_t value) {
         if ((value & kNoOffset) == kNoOffset) return;
         block_.set(memory_burst_, kNoOffset);
         const auto bytes = static_cast<std::uint32_t>(value >> 48 & 0x7fff);
         if (bytes != 0) burst(value & ((std::uint64_t{1} << 48) - 1), bytes, value >> 63 != 0);
       }}));
  for (const RegisterBlock::Id id : {burst_, memory_burst_}) block_.set(id, kNoOffset);
}

void EndpointRegisters::add_words(const EndpointPart& part) {
  const auto words = [&](const char* name, std::uint64_t at, std::uint8_t* bytes, std::uint64_t size,
                         RegisterAccess access, const char* doc) {
    RegisterSpec spec{name, at, 4, static_cast<unsigned>(size / 4), 4, access, 0, doc};
    spec.read = [bytes](unsigned i) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + 4 * std::size_t{i}, sizeof word);
      return std::uint64_t{word};
    };
    if (access == RegisterAccess::kReadWrite)
      spec.write = [bytes](unsigned i, std::uint64_t value) {
        std::memcpy(bytes + 4 * std::size_t{i}, &value, 4);
      };
    block_.add(std::move(spec));
  };
  words("ERROR_TEXT", ep::kErrorText, text_, sizeof text_, RegisterAccess::kReadOnly,
        "The first error of ERROR in words, with zeros behind.");
  words("BURST_DATA", ep::kBurstData, burst_data_, sizeof burst_data_, RegisterAccess::kReadWrite,
        "For BURST and MEMORY_BURST.");
  std::copy_n(part.properties.begin(), std::min(part.properties.size(), sizeof properties_), properties_);
  words("PROPERTIES", ep::kProperties, properties_, sizeof properties_, RegisterAccess::kReadOnly,
        "What software has to know of the device to make code for it and to launch kernels: lines KEY=VALUE, "
        "with "
        "zeros behind (sw/runtime/device_properties.h).");
}

void EndpointRegisters::note(std::uint32_t error, std::uint64_t address, const std::string& text) {
  if (block_.get(error_) == 0) {
    block_.set(error_address_, address);
    std::copy_n(text.begin(), std::min(text.size(), sizeof text_ - 1), text_);
  }
  block_.set(error_, block_.get(error_) | error);
}

void EndpointRegisters::reset() {
  for (const RegisterBlock::Id id : {error_, error_address_}) block_.set(id, 0);
  for (const RegisterBlock::Id id : {burst_, memory_burst_}) block_.set(id, kNoOffset);
  std::fill(std::begin(text_), std::end(text_), 0);
  std::fill(std::begin(burst_data_), std::end(burst_data_), 0);
}

}  // namespace warpvp
