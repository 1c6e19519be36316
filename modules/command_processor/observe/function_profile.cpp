#include "modules/command_processor/observe/function_profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpvp::riscv {

namespace {

// Calls that never return, in a loop without end, do not pile up beyond this.
constexpr std::size_t kDeepest = 4096;

bool is_link(unsigned reg) { return reg == 1 || reg == 5; }

}  // namespace

unsigned FunctionProfile::function_of(std::uint32_t pc) {
  const auto known = by_pc_.find(pc);
  if (known != by_pc_.end()) return known->second;
  const ElfImage::Symbol* symbol = image_.function_at(pc);
  // All that has no symbol is one function, at an address where none can be.
  const auto [entry, added] =
      by_address_.try_emplace(symbol ? symbol->address : 0, static_cast<unsigned>(functions_.size()));
  if (added) {
    functions_.push_back({symbol ? symbol->name : "(no symbol)"});
    activity_.emplace_back();
  }
  by_pc_.emplace(pc, entry->second);
  return entry->second;
}

void FunctionProfile::enter(unsigned function, std::uint32_t return_pc, bool handler) {
  if (stack_.size() == kDeepest) {
    // The caller farthest away is taken for one that will never see the return.
    Activity& oldest = activity_[stack_.front().function];
    if (--oldest.active == 0) functions_[stack_.front().function].inclusive += cycles_ - oldest.entered;
    stack_.erase(stack_.begin());
  }
  stack_.push_back({function, return_pc, handler});
  ++functions_[function].calls;
  Activity& activity = activity_[function];
  if (activity.active++ == 0) activity.entered = cycles_;
}

void FunctionProfile::leave() {
  const unsigned function = stack_.back().function;
  stack_.pop_back();
  Activity& activity = activity_[function];
  if (--activity.active == 0) functions_[function].inclusive += cycles_ - activity.entered;
}

void FunctionProfile::replace_top(unsigned function) {
  const Frame top = stack_.back();
  leave();
  enter(function, top.return_pc, top.handler);
}

void FunctionProfile::return_to(std::uint32_t pc) {
  for (std::size_t depth = stack_.size(); depth > 0; --depth) {
    const Frame& frame = stack_[depth - 1];
    if (frame.handler) break;
    if (frame.return_pc != pc) continue;
    while (stack_.size() >= depth) leave();
    return;
  }
  // To no place that was called from: what executes next tells where it is.
}

void FunctionProfile::leave_handler() {
  while (!stack_.empty()) {
    const bool handler = stack_.back().handler;
    leave();
    if (handler) return;
  }
}

void FunctionProfile::settle(std::uint64_t time_fs) {
  if (!pending_) return;
  pending_ = false;
  const std::uint64_t waited = time_fs > pending_until_fs_ ? time_fs - pending_until_fs_ : 0;
  (pending_sleep_ ? asleep_fs_ : functions_[pending_function_].waited_fs) += waited;
}

void FunctionProfile::executed(const Step& step) {
  settle(step.time_fs);
  const unsigned function = function_of(step.pc);
  if (stack_.empty())
    enter(function, 0, false);
  else if (stack_.back().function != function)
    replace_top(function);
  Function& figures = functions_[function];
  ++figures.instructions;
  figures.self += step.cycles;
  cycles_ += step.cycles;
  pending_ = true;
  pending_sleep_ = step.instruction.op == Op::kWfi;
  pending_function_ = function;
  pending_until_fs_ = step.time_fs + step.cycles * period_fs_;

  const Instruction& instruction = step.instruction;
  const std::uint32_t behind = step.pc + instruction.length;
  if (instruction.op == Op::kJal) {
    if (is_link(instruction.rd)) enter(function_of(step.next_pc), behind, false);
  } else if (instruction.op == Op::kJalr) {
    const bool calls = is_link(instruction.rd);
    if (is_link(instruction.rs1) && (!calls || instruction.rs1 != instruction.rd)) return_to(step.next_pc);
    if (calls) enter(function_of(step.next_pc), behind, false);
  } else if (instruction.op == Op::kMret) {
    leave_handler();
  }
}

void FunctionProfile::trapped(const TrapEntry& trap) {
  settle(trap.time_fs);
  enter(function_of(trap.handler), trap.pc, true);
}

std::vector<FunctionProfile::Function> FunctionProfile::finish(std::uint64_t end_fs) {
  settle(end_fs);
  while (!stack_.empty()) leave();
  std::vector<Function> sorted = functions_;
  std::sort(sorted.begin(), sorted.end(), [](const Function& a, const Function& b) {
    return a.self != b.self ? a.self > b.self : a.name < b.name;
  });
  return sorted;
}

std::string profile_text(FunctionProfile& profile, std::uint64_t end_fs) {
  const std::vector<FunctionProfile::Function> functions = profile.finish(end_fs);
  const double all = std::max(1.0, static_cast<double>(profile.cycles()));
  std::uint64_t instructions = 0;
  for (const auto& f : functions) instructions += f.instructions;
  std::string text = fmt::format(
      "{} instructions in {} cycles; asleep {:.3f} of {:.3f} us\n"
      "self: cycles of the function's own instructions; inclusive: with what it calls; waits: its own\n"
      "accesses to devices took so much longer\n\n"
      "{:>10}  {:>12}  {:>12}  {:>6}  {:>12}  {:>6}  {:>12}  function\n",
      instructions, profile.cycles(), static_cast<double>(profile.asleep_fs()) * 1e-9,
      static_cast<double>(end_fs) * 1e-9, "calls", "instructions", "self", "self%", "inclusive", "incl%",
      "waits us");
  for (const auto& f : functions)
    text += fmt::format("{:>10}  {:>12}  {:>12}  {:>6.2f}  {:>12}  {:>6.2f}  {:>12.3f}  {}\n", f.calls,
                        f.instructions, f.self, 100 * static_cast<double>(f.self) / all, f.inclusive,
                        100 * static_cast<double>(f.inclusive) / all, static_cast<double>(f.waited_fs) * 1e-9,
                        f.name);
  return text;
}

}  // namespace warpvp::riscv
