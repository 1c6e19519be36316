#include "modules/command_processor/observe/memory_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/register_map.h"
#include "modules/command_processor/riscv/csr.h"

namespace warpvp::riscv {

namespace {

constexpr unsigned kSp = 2;
constexpr std::uint32_t kNullPage = 0x1000;

/// Sorts and joins, so that an access across two sections that touch lies in one range.
template <class Range>
void join(std::vector<Range>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> joined;
  for (const Range& range : ranges) {
    if (range.begin == range.end) continue;
    if (!joined.empty() && range.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  }
  ranges = std::move(joined);
}

bool on_the_bus(std::uint32_t address) {
  return (address >= regmap::core::kBusBase && address < regmap::core::kBusEnd) ||
         address >= regmap::core::kApertureBase;
}

}  // namespace

MemoryChecks::MemoryChecks(const ElfImage& image, std::uint32_t local_base, std::uint32_t local_bytes)
    : image_(image), local_base_(local_base), local_bytes_(local_bytes) {
  for (const ElfImage::Section& section : image.sections()) {
    memory_.push_back({section.address, section.address + section.size});
    if (section.code) code_.push_back(memory_.back());
  }
  // A file without sections still says what is loaded where.
  if (memory_.empty())
    for (const ElfImage::Segment& segment : image.segments())
      memory_.push_back({segment.address, segment.address + segment.memory_bytes});
  const auto free_start = image.find("__free_start"), free_end = image.find("__free_end");
  if (free_start && free_end && *free_start < *free_end) memory_.push_back({*free_start, *free_end});
  const auto limit = image.find("__stack_limit"), top = image.find("__stack_top");
  if (limit && top && *limit < *top) {
    stacks_.push_back({*limit, *top, *top, "__stack_limit"});
    memory_.push_back({*limit, *top});
    const auto handler_top = image.find("__trap_stack_top");
    if (handler_top && *handler_top > *top)
      stacks_.push_back({*top, *handler_top, *handler_top, "__stack_top"});
  }
  join(memory_);
  join(code_);
}

/// What lies at an address, for messages.
std::string MemoryChecks::owner(std::uint32_t address) const {
  const ElfImage::Symbol* before = nullptr;
  for (const ElfImage::Symbol& symbol : image_.symbols()) {
    if (symbol.address > address) break;
    if (symbol.size > 0) before = &symbol;
  }
  if (!before) return {};
  const std::uint32_t offset = address - before->address;
  return offset < before->size
             ? fmt::format(", in {}+{:#x}", before->name, offset)
             : fmt::format(", {} bytes behind the end of {}", offset - before->size, before->name);
}

std::string MemoryChecks::check_pc(const Step& step) const {
  const auto contains = [&](const Range& range) { return range.contains(step.pc, 2); };
  if (code_.empty() || std::any_of(code_.begin(), code_.end(), contains)) return {};
  return fmt::format("{} to {:#010x}, where there is no code, from {} ({:#010x})",
                     step.pc < kNullPage ? "null pointer: jump" : "wild jump", step.pc,
                     image_.describe(last_pc_), last_pc_);
}

std::string MemoryChecks::check_stack_pointer(const Step& step) const {
  const Instruction& i = step.instruction;
  if (i.op != Op::kAddi || i.rd != kSp || i.rs1 != kSp) return {};
  const std::uint32_t sp = sp_ + static_cast<std::uint32_t>(i.immediate);
  for (const Stack& stack : stacks_)
    // Below the limit: less, or around through zero.
    if (stack.holds(sp_) && i.immediate < 0 && sp_ - sp > sp_ - stack.limit)
      return fmt::format("stack overflow: sp would be {:#010x}, {} bytes below {} of a stack of {} bytes", sp,
                         stack.limit - sp, stack.limit_name, stack.top - stack.limit);
  return {};
}

std::string MemoryChecks::check_access(const Step& step) const {
  const char* verb = step.loads ? (step.stores ? "atomic access" : "load") : "store";
  const std::string what =
      fmt::format("{} of {} byte{} at {:#010x}", verb, step.bytes, step.bytes == 1 ? "" : "s", step.address);
  if (step.address < kNullPage) return "null pointer: " + what;
  if (step.address - local_base_ >= local_bytes_)
    return on_the_bus(step.address) ? std::string() : "wild " + what + ": nothing is there";
  const auto any = [&](const std::vector<Range>& ranges,
                       bool (Range::*holds)(std::uint32_t, std::uint32_t) const) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const Range& range) { return (range.*holds)(step.address, step.bytes); });
  };
  if (!any(memory_, &Range::contains))
    return fmt::format("wild {}: {} has nothing there{}", what, image_.name(), owner(step.address));
  if (step.stores && any(code_, &Range::touches))
    return fmt::format("{} writes to code{}", what, owner(step.address));
  return {};
}

std::string MemoryChecks::objection(const Step& step) {
  std::string text = check_pc(step);
  if (text.empty()) text = check_stack_pointer(step);
  if (text.empty() && (step.loads || step.stores)) text = check_access(step);
  return text;
}

void MemoryChecks::executed(const Step& step) {
  last_pc_ = step.pc;
  if (step.instruction.rd != kSp) return;
  sp_ = step.rd_value;
  for (Stack& stack : stacks_)
    if (stack.holds(sp_)) stack.lowest = std::min(stack.lowest, sp_);
}

std::string MemoryChecks::objection(Cause cause, std::uint32_t value) {
  switch (cause) {
    case Cause::kFetchMisaligned:
    case Cause::kFetchAccess:
    case Cause::kLoadMisaligned:
    case Cause::kLoadAccess:
    case Cause::kStoreMisaligned:
    case Cause::kStoreAccess:
      return fmt::format("{} at {:#010x}", cause_text(cause), value);
    default:
      return {};
  }
}

std::optional<std::uint32_t> MemoryChecks::stack_high_water() const {
  if (stacks_.empty() || stacks_[0].lowest == stacks_[0].top) return std::nullopt;
  return stacks_[0].top - stacks_[0].lowest;
}

}  // namespace warpvp::riscv
