#include "modules/host/dma_registers.h"

#include <utility>

namespace warpvp {

namespace dma = regmap::dma;

DmaRegisters::DmaRegisters(Owner owner)
    : owner_(std::move(owner)),
      block_("DMA engine", dma::kStride,
             "Write SOURCE to TAG in one burst, then 1 to START. Addresses at or above 0x4000'0000'0000 are "
             "host "
             "bus addresses, others device memory. When done, the engine writes a CopyDone record to the "
             "command "
             "processor.") {
  const auto rw = RegisterAccess::kReadWrite;
  source_ = block_.add(
      in_halves({"SOURCE", dma::kSource, 8, 1, 0, rw, 0, "Address to read from; unused by a fill."}));
  destination_ =
      block_.add(in_halves({"DESTINATION", dma::kDestination, 8, 1, 0, rw, 0, "Address to write to."}));
  bytes_ = block_.add(in_halves({"BYTES", dma::kBytes, 8, 1, 0, rw, 0, "Length."}));
  kind_ = block_.add({"KIND", dma::kKind, 4, 1, 0, rw, 1,
                      "Bits 15:0: 1 copy, 2 fill. Bits 31:16: signed priority, greater is more urgent, for "
                      "engines whose copies take turns; others ignore it."});
  value_ =
      block_.add({"VALUE", dma::kValue, 4, 1, 0, rw, 0,
                  "Bits 7:0: byte that a fill writes. Bits 31:16: context whose device memory the copy may "
                  "touch; all ones: any."});
  tag_ = block_.add({"TAG", dma::kTag, 4, 1, 0, rw, 0, "Given back in the CopyDone record."});
  block_.add({"START",
              dma::kStart,
              4,
              1,
              0,
              RegisterAccess::kWriteOnly,
              0,
              "Writing 1 starts the copy; ignored while one is under way.",
              {},
              [this](unsigned, std::uint64_t value) {
                if (value == 1 && !owner_.busy()) owner_.start();
              }});
  block_.add(
      {"STATUS", dma::kStatus, 4, 1, 0, RegisterAccess::kReadOnly, 0,
       "Bit 0: busy. Bits 15:8: error of the last copy (TLM response status, negated).",
       [this](unsigned) { return std::uint64_t{owner_.busy()} | std::uint64_t{owner_.error()} << 8; }});
  block_.add(
      in_halves({"DONE", dma::kDone, 8, 1, 0, RegisterAccess::kReadOnly, 0, "Bytes of this copy transferred.",
                 [this](unsigned) { return owner_.done_bytes(); }}));
}

dma::Descriptor DmaRegisters::descriptor() const {
  dma::Descriptor copy;
  const auto kind = static_cast<std::uint32_t>(block_.get(kind_));
  copy.source = block_.get(source_);
  copy.destination = block_.get(destination_);
  copy.bytes = block_.get(bytes_);
  copy.kind = static_cast<std::uint16_t>(kind);
  copy.priority = static_cast<std::int16_t>(kind >> 16);
  const auto value = static_cast<std::uint32_t>(block_.get(value_));
  copy.value = static_cast<std::uint16_t>(value);
  copy.context = static_cast<std::uint16_t>(value >> 16);
  copy.tag = static_cast<std::uint32_t>(block_.get(tag_));
  return copy;
}

}  // namespace warpvp
