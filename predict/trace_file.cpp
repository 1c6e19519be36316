#include "predict/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "base/input_file.h"
#include "base/registry.h"

namespace warpvp::predict {

namespace {

constexpr const char* kFirstLine = "warpvp-trace 1";

void append_list(std::string& line, const char* key, const std::vector<std::uint16_t>& rows) {
  if (rows.empty()) return;
  line += fmt::format(" {} {}", key, fmt::join(rows, ","));
}

void append_steps(std::string& text, const WarpTrace& warp) {
  std::size_t frame = 0;
  for (std::size_t i = 0; i < warp.steps.size();) {
    for (; frame < warp.frames.size() && warp.frames[frame].step == i; ++frame)
      text += fmt::format("frame {} {}\n", warp.frames[frame].row_base, warp.frames[frame].pred_base);
    const Step& step = warp.steps[i];
    if (step.flags == 0) {
      const std::size_t stop = frame < warp.frames.size() ? warp.frames[frame].step : warp.steps.size();
      std::size_t end = i + 1;
      while (end < stop && warp.steps[end].flags == 0 && warp.steps[end].pc == warp.steps[end - 1].pc + 1)
        ++end;
      text += end == i + 1 ? fmt::format("run {}\n", step.pc)
                           : fmt::format("run {} {}\n", step.pc, warp.steps[end - 1].pc);
      i = end;
      continue;
    }
    text += fmt::format("step {}", step.pc);
    if (step.is(Step::kMemory)) text += fmt::format(" latency {}", step.latency);
    if (step.is(Step::kLong)) text += " long";
    if (step.is(Step::kStore)) text += " store";
    if (step.is(Step::kCopy)) text += " copy";
    if (step.is(Step::kBarrier)) {
      text += fmt::format(" barrier {}", step.barrier);
      if (step.barrier_warps) text += fmt::format(" of {}", step.barrier_warps);
    }
    if (step.is(Step::kPasses)) text += " passes";
    if (step.is(Step::kFence)) text += " fence";
    if (step.is(Step::kCopies)) text += " copies";
    text += '\n';
    ++i;
  }
}

class Reader {
 public:
  Reader(std::istream& in, const std::string& name, std::uint64_t most_steps)
      : in_(in), name_(name), most_steps_(most_steps), buffer_(trace_limit::kLineBytes + 1) {}

  Trace read() {
    if (!next_line() || line_ != kFirstLine)
      fail(fmt::format("not a trace; the first line must be '{}'", kFirstLine));
    bool ended = false;
    while (next_line()) {
      if (ended) fail("text after 'end'");
      word_ = word("a keyword");
      if (word_ == "program") {
        read_program();
      } else if (word_ == "inst") {
        read_instruction();
      } else if (word_ == "launch") {
        read_launch();
      } else if (word_ == "cta") {
        read_cta();
      } else if (word_ == "warp") {
        read_warp();
      } else if (word_ == "run") {
        read_run();
      } else if (word_ == "step") {
        read_step();
      } else if (word_ == "frame") {
        read_frame();
      } else if (word_ == "end") {
        close_cta();
        ended = true;
      } else {
        unknown({"program", "inst", "launch", "cta", "warp", "run", "step", "frame", "end"});
      }
      if (!rest_.empty()) fail(fmt::format("'{}' is too much", rest_));
    }
    if (!ended) fail("the file ends without 'end': it is not complete");
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", name_, number_, what));
  }
  [[noreturn]] void unknown(const std::vector<std::string>& allowed) const {
    const std::string near = nearest_name(std::string(word_), allowed);
    fail(fmt::format("unknown word '{}'; allowed: {}{}", word_, join_names(allowed),
                     near.empty() ? "" : "; did you mean '" + near + "'?"));
  }

  /// The next line with something on it; false at the end of the file.
  bool next_line() {
    while (in_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size())) || in_.gcount() > 0) {
      ++number_;
      if (in_.fail() && !in_.eof())
        fail(fmt::format("a line of more than {} bytes", trace_limit::kLineBytes));
      line_.assign(buffer_.data(), static_cast<std::size_t>(in_.gcount()) - (in_.eof() ? 0 : 1));
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
      if (line_.empty() || line_[0] == '#') continue;
      rest_ = line_;
      return true;
    }
    rest_ = {};
    return false;
  }
  std::string_view word(const char* what) {
    if (rest_.empty()) fail(fmt::format("{} is missing", what));
    const std::size_t end = rest_.find(' ');
    const std::string_view found = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    if (found.empty()) fail("words are separated by one blank");
    return found;
  }
  template <class T>
  T to_number(std::string_view text, const char* what, T least, T most) const {
    int base = 10;
    std::string_view digits = text;
    if (digits.substr(0, 2) == "0x") {
      base = 16;
      digits.remove_prefix(2);
    }
    T value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size() || value < least || value > most)
      fail(fmt::format("{} is '{}'; allowed: a whole number from {} to {}", what, text, least, most));
    return value;
  }
  template <class T>
  T number(const char* what, T least, T most) {
    return to_number<T>(word(what), what, least, most);
  }
  std::uint32_t number(const char* what, std::uint32_t most = 0xffffffffu) {
    return number<std::uint32_t>(what, 0, most);
  }
  void expect(const char* keyword) {
    const std::string_view found = word(keyword);
    if (found != keyword) fail(fmt::format("'{}' is expected here, not '{}'", keyword, found));
  }

  void read_program() {
    if (number("the program's number") != trace_.programs.size())
      fail(fmt::format("programs are numbered from 0 in order; this one is {}", trace_.programs.size()));
    Program program;
    expect("address");
    program.address = number<std::uint64_t>("the address", 0, std::numeric_limits<std::uint64_t>::max() / 2);
    if (!rest_.empty()) {
      expect("name");
      program.name = std::string(word("the name"));
    }
    trace_.programs.push_back(std::move(program));
  }

  void read_rows(std::vector<std::uint16_t>& rows, std::size_t most) {
    std::string_view list = word("a list of rows");
    while (true) {
      const std::size_t comma = list.find(',');
      rows.push_back(to_number<std::uint16_t>(list.substr(0, comma), "a row", 0, 65534));
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
    if (rows.size() > most) fail(fmt::format("{} rows; at most {} are possible", rows.size(), most));
  }

  void read_instruction() {
    if (trace_.programs.empty()) fail("an instruction before the first program");
    Program& program = trace_.programs.back();
    if (number("the instruction's number") != program.code.size())
      fail(fmt::format("instructions are numbered from 0 in order; this one is {}", program.code.size()));
    Instruction inst;
    const std::string_view unit = word("the unit");
    const auto found = std::find(std::begin(kUnitNames), std::end(kUnitNames), unit);
    if (found == std::end(kUnitNames)) {
      word_ = unit;
      unknown({std::begin(kUnitNames), std::end(kUnitNames)});
    }
    inst.unit = static_cast<std::uint8_t>(found - std::begin(kUnitNames));
    expect("latency");
    inst.latency = number<std::uint32_t>("the latency", 1, 1000000);
    while (!rest_.empty()) {
      word_ = word("a list");
      if (word_ == "holds") {
        inst.holds = number<std::uint32_t>("the edges that it holds its warp", 1, 1000000);
      } else if (word_ == "occupies") {
        if (unit != "tensor") fail("only what the unit tensor executes says what it occupies");
        inst.occupies = number<std::uint32_t>("the cycles that it occupies its unit for", 1, 1000000);
      } else if (word_ == "guard") {
        inst.guard = number<std::uint16_t>("the guard", 0, 65534);
      } else if (word_ == "address") {
        inst.address = true;
      } else if (word_ == "special") {
        inst.special = true;
      } else if (word_ == "reads") {
        read_rows(inst.reads, 12);
      } else if (word_ == "writes") {
        read_rows(inst.writes, 8);
      } else if (word_ == "tests") {
        read_rows(inst.pred_reads, 4);
      } else if (word_ == "sets") {
        read_rows(inst.pred_writes, 2);
      } else {
        unknown({"holds", "occupies", "guard", "address", "special", "reads", "writes", "tests", "sets"});
      }
    }
    program.code.push_back(std::move(inst));
  }

  void read_launch() {
    LaunchTrace launch;
    launch.id = number("the launch's number");
    for (const LaunchTrace& other : trace_.launches)
      if (other.id == launch.id) fail(fmt::format("launch {} is there already", launch.id));
    expect("program");
    if (trace_.programs.empty()) fail("a launch before the first program");
    launch.program = number("the program", static_cast<std::uint32_t>(trace_.programs.size() - 1));
    while (!rest_.empty()) {
      word_ = word("a setting");
      if (word_ == "budget") {
        launch.budget = number<std::uint32_t>("the budget", 1, 0xffffffffu);
      } else if (word_ == "priority") {
        launch.priority = number<std::int32_t>("the priority", -32768, 32767);
      } else {
        unknown({"budget", "priority"});
      }
    }
    trace_.launches.push_back(launch);
  }

  void read_cta() {
    close_cta();
    const std::uint32_t id = number("the launch");
    const auto launch = std::find_if(trace_.launches.begin(), trace_.launches.end(),
                                     [&](const LaunchTrace& l) { return l.id == id; });
    if (launch == trace_.launches.end()) fail(fmt::format("there is no launch {}", id));
    CtaTrace cta;
    cta.launch = static_cast<std::uint32_t>(launch - trace_.launches.begin());
    for (std::uint32_t& i : cta.index) i = number("an index of the CTA");
    if (!seen_.insert({id, cta.index[0], cta.index[1], cta.index[2]}).second)
      fail("this CTA is there already");
    expect("sm");
    cta.sm = number("the SM", 65535);
    expect("at");
    cta.arrival = number<std::uint64_t>("the edge", 0, Cycle{1} << 60);
    if (!trace_.ctas.empty() && trace_.ctas.back().arrival > cta.arrival)
      fail("CTAs stand in the order in which they start");
    trace_.ctas.push_back(std::move(cta));
    in_cta_ = true;
  }

  Program& program() { return trace_.programs[trace_.launches[trace_.ctas.back().launch].program]; }
  WarpTrace& warp() {
    if (!in_cta_ || trace_.ctas.back().warps.empty()) fail("a step before the first 'warp' of a CTA");
    return trace_.ctas.back().warps.back();
  }
  void close_warp() {
    if (!trace_.ctas.back().warps.empty() && trace_.ctas.back().warps.back().steps.empty())
      fail("the warp before this line has no step");
  }
  void close_cta() {
    if (!in_cta_) return;
    if (trace_.ctas.back().warps.empty()) fail("the CTA before this line has no warp");
    close_warp();
  }
  void read_warp() {
    if (!in_cta_) fail("a warp before the first CTA");
    close_warp();
    if (trace_.ctas.back().warps.size() == 64) fail("a CTA has at most 64 warps");
    trace_.ctas.back().warps.emplace_back();
  }
  std::uint32_t pc(const char* what) {
    const std::size_t size = program().code.size();
    if (size == 0) fail("the program of this CTA has no instructions");
    return number(what, static_cast<std::uint32_t>(size - 1));
  }
  /// A short line stands for many steps.
  void count_steps(std::uint64_t more) {
    if ((steps_ += more) > most_steps_) fail(fmt::format("more than {} steps", most_steps_));
  }
  void read_run() {
    WarpTrace& w = warp();
    const std::uint32_t first = pc("the first instruction");
    const std::uint32_t last = rest_.empty() ? first : pc("the last instruction");
    if (last < first)
      fail(
          fmt::format("a run from {} to {}; the last instruction must not be before the first", first, last));
    count_steps(std::uint64_t{last} - first + 1);
    for (std::uint32_t i = first; i <= last; ++i) {
      Step step;
      step.pc = i;
      w.steps.push_back(step);
    }
  }
  void read_step() {
    WarpTrace& w = warp();
    count_steps(1);
    Step step;
    step.pc = pc("the instruction");
    while (!rest_.empty()) {
      word_ = word("a property");
      if (word_ == "latency") {
        step.latency = number<std::uint32_t>("the latency", 1, 1000000);
        step.flags |= Step::kMemory;
      } else if (word_ == "long") {
        step.flags |= Step::kLong;
      } else if (word_ == "store") {
        step.flags |= Step::kStore;
      } else if (word_ == "copy") {
        step.flags |= Step::kCopy;
      } else if (word_ == "barrier") {
        step.barrier = static_cast<std::uint8_t>(number("the barrier", kBarriers - 1));
        step.flags |= Step::kBarrier;
      } else if (word_ == "of") {
        if (!step.is(Step::kBarrier)) fail("'of' follows the number of a barrier");
        step.barrier_warps = static_cast<std::uint8_t>(number<std::uint32_t>("the number of warps", 1, 64));
      } else if (word_ == "passes") {
        if (!step.is(Step::kBarrier)) fail("'passes' is for barriers");
        step.flags |= Step::kPasses;
      } else if (word_ == "fence") {
        step.flags |= Step::kFence;
      } else if (word_ == "copies") {
        step.flags |= Step::kCopies;
      } else {
        unknown({"latency", "long", "store", "copy", "barrier", "of", "passes", "fence", "copies"});
      }
    }
    if ((step.flags & (Step::kLong | Step::kStore | Step::kCopy)) && !step.is(Step::kMemory))
      fail("'long', 'store' and 'copy' are for memory accesses; give their latency first");
    w.steps.push_back(step);
  }
  void read_frame() {
    WarpTrace& w = warp();
    const std::uint32_t rows = number("the row base", 1u << 24);
    w.frames.push_back({w.steps.size(), rows, number("the predicate base", 1u << 24)});
  }

  std::istream& in_;
  std::string name_;
  std::size_t number_ = 0;
  std::uint64_t most_steps_, steps_ = 0;
  std::vector<char> buffer_;
  std::string line_;
  std::string_view rest_, word_;
  Trace trace_;
  bool in_cta_ = false;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen_;
};

}  // namespace

void write_trace(std::ostream& out, const Trace& trace) {
  out << kFirstLine << '\n';
  std::string text;
  for (std::size_t p = 0; p < trace.programs.size(); ++p) {
    const Program& program = trace.programs[p];
    out << fmt::format("program {} address {:#x}{}\n", p, program.address,
                       program.name.empty() ? "" : " name " + program.name);
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      const Instruction& inst = program.code[i];
      text = fmt::format("inst {} {} latency {}", i, kUnitNames[inst.unit], inst.latency);
      if (inst.holds != 1) text += fmt::format(" holds {}", inst.holds);
      if (inst.occupies != 0) text += fmt::format(" occupies {}", inst.occupies);
      if (inst.guard != Instruction::kNoGuard) text += fmt::format(" guard {}", inst.guard);
      if (inst.address) text += " address";
      if (inst.special) text += " special";
      append_list(text, "reads", inst.reads);
      append_list(text, "writes", inst.writes);
      append_list(text, "tests", inst.pred_reads);
      append_list(text, "sets", inst.pred_writes);
      out << text << '\n';
    }
  }
  for (const LaunchTrace& launch : trace.launches) {
    out << fmt::format("launch {} program {}", launch.id, launch.program);
    if (launch.budget != 1) out << fmt::format(" budget {}", launch.budget);
    if (launch.priority != 0) out << fmt::format(" priority {}", launch.priority);
    out << '\n';
  }
  for (const CtaTrace& cta : trace.ctas) {
    out << fmt::format("cta {} {} {} {} sm {} at {}\n", trace.launches[cta.launch].id, cta.index[0],
                       cta.index[1], cta.index[2], cta.sm, cta.arrival);
    for (const WarpTrace& warp : cta.warps) {
      text = "warp\n";
      append_steps(text, warp);
      out << text;
    }
  }
  out << "end\n";
}

Trace read_trace(std::istream& in, const std::string& name, std::uint64_t most_steps) {
  return Reader(in, name, most_steps).read();
}

Trace read_trace_file(const std::string& name) {
  check_input_file(name, input_limit::kTrace, "", "give the path of a trace file");
  std::ifstream in(name);
  if (!in) throw InputError(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  return read_trace(in, name);
}

}  // namespace warpvp::predict
