#include "tools/on-chip/conformance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "tests/ptx_reference/cases.h"
#include "tests/ptx_reference/chip_answers.h"
#include "tests/ptx_reference/form_programs.h"
#include "tests/ptx_reference/registers.h"
#include "tests/ptx_reference/single_instructions.h"
#include "tools/on-chip/chip_runtime.h"
#include "tools/on-chip/cuda_driver.h"

namespace warpvp::chip {
namespace {

using reference::FormProgram;
using reference::GeneratedProgram;
using reference::Outcome;

constexpr auto kPatience = std::chrono::seconds(10);

/// The programs asked for, by number.
class Questions {
 public:
  explicit Questions(const ConformanceRequest& request) : request_(request) {
    if (request.what == "forms") {
      forms_ = reference::form_programs();
    } else if (request.what == "approximate") {
      forms_.push_back(reference::approximate_program());
    } else if (request.what == "single") {
      single_ = reference::single_instructions();
    }
  }
  std::size_t size() const {
    if (!forms_.empty()) return forms_.size();
    if (!single_.empty()) return single_.size();
    return request_.what == "cases" ? reference::cases().size() : request_.count;
  }
  GeneratedProgram program(std::size_t i) const {
    if (!forms_.empty()) return forms_[i].program;
    if (!single_.empty()) return single_[i].program;
    if (request_.what == "cases") return reference::program_of(reference::cases()[i]);
    return reference::generate(request_.first + i, reference::Dialect::kChip);
  }
  const FormProgram* form(std::size_t i) const { return forms_.empty() ? nullptr : &forms_[i]; }
  const reference::SingleInstruction* single(std::size_t i) const {
    return single_.empty() ? nullptr : &single_[i];
  }
  std::string name(std::size_t i) const {
    if (!single_.empty()) return single_[i].name;
    if (request_.what == "cases") return reference::cases()[i].name;
    return std::to_string(forms_.empty() ? request_.first + i : i);
  }

 private:
  ConformanceRequest request_;
  std::vector<FormProgram> forms_;
  std::vector<reference::SingleInstruction> single_;
};

std::uint64_t slot_value(const std::vector<std::uint8_t>& out, std::size_t thread, std::size_t offset,
                         unsigned bytes) {
  std::uint64_t v = 0;
  std::memcpy(&v, out.data() + thread * GeneratedProgram::kOutputBytes + offset, bytes);
  return v;
}

/// "%r1=0x7 %r2=0x80000000": what the registers of an instruction hold in a thread's input.
std::string operands(const FormProgram& form, std::size_t slot, std::size_t thread) {
  std::string text;
  reference::for_each_input([&](const reference::InputRegister& r) {
    const std::string& in = form.instructions[slot];
    for (std::size_t at = in.find(r.name); at != std::string::npos; at = in.find(r.name, at + 1)) {
      const char behind = in[at + r.name.size()];
      if (behind >= '0' && behind <= '9') continue;
      std::uint64_t v = 0;
      std::memcpy(&v, form.program.in.data() + thread * GeneratedProgram::kInputBytes + r.offset, r.bytes);
      text += fmt::format(" {}={:#x}", r.name, v);
      return;
    }
  });
  return text;
}

/// Says which instructions of a form program differ, with three threads each.
std::string differing_forms(const FormProgram& form, const Outcome& chip, const Outcome& model,
                            const char* name) {
  std::string text;
  for (std::size_t slot = 0; slot < form.opcodes.size(); ++slot) {
    unsigned differ = 0;
    std::string examples;
    for (unsigned t = 0; t < form.program.threads(); ++t) {
      if (left_open(form, slot, t)) continue;
      for (const std::size_t part : {0u, 8u}) {
        const std::size_t at = slot * FormProgram::kSlotBytes + part;
        const std::uint64_t a = slot_value(chip.out, t, at, 8), b = slot_value(model.out, t, at, 8);
        if (a == b) continue;
        if (++differ <= 3)
          examples += fmt::format("    {}:{} chip {:#x}, {} {:#x}\n", part == 0 ? "" : " second",
                                  operands(form, slot, t), a, name, b);
      }
    }
    if (differ != 0)
      text += fmt::format("form {} | {} | {} of {} differ\n{}", form.names[slot], form.instructions[slot],
                          differ, form.program.threads(), examples);
  }
  return text;
}

/// What one process does: every so-manieth program, from `from` on.
class Worker {
 public:
  Worker(const ConformanceRequest& request, const Questions& questions, std::size_t* at,
         const std::string& answers, const std::string& log)
      : request_(request),
        questions_(questions),
        at_(at),
        answers_(answers, std::ios::app),
        log_(log, std::ios::app) {}

  void run(std::size_t from, unsigned stride) {
    for (std::size_t i = from; i < questions_.size(); i += stride) {
      *at_ = i;
      if (!one(i)) {
        answers_.flush();
        log_.flush();
        _exit(3);
      }
    }
  }

 private:
  /// False: the GPU is lost to this process.
  bool one(std::size_t i) {
    const GeneratedProgram p = questions_.program(i);
    const std::string name = questions_.name(i);
    if (const std::string why = reference::not_for_chips(p.text()); !why.empty()) {
      answers_ << i << '\t' << name << "\tskipped\t" << why << std::endl;
      return true;
    }
    ChipOutcome chip = run_chip(p);
    if (chip.error.empty()) {
      const ChipOutcome plain = run_chip(p, 0);
      if (!plain.error.empty()) {
        chip = plain;
        chip.error += ", compiled without optimisations";
      }
      const std::string found = plain.error.empty() ? difference(chip, "optimised", plain, "plain") : "";
      if (!found.empty() && questions_.form(i) == nullptr) {
        answers_ << i << '\t' << name << "\tskipped\tdepends on the compiler's optimisations" << std::endl;
        const std::string ours = difference(plain, "chip", run_reference(p), "reference");
        log_ << "#" << i << " " << request_.what << " " << name
             << ": with and without optimisations: " << found
             << "; without: " << (ours.empty() ? "as the reference" : ours) << std::endl;
        return true;
      }
      if (!found.empty())
        log_ << "#" << i << " forms that optimisations change\n"
             << differing_forms(*questions_.form(i), chip, plain, "plain") << std::endl;
    }
    if (!chip.error.empty()) {
      answers_ << i << '\t' << name << "\terror" << std::endl;
      log_ << "#" << i << " " << request_.what << " " << name << ": " << chip.error << std::endl;
      return !chip.lost;
    }
    answer(i, name, p, chip);
    const std::string found = compare(i, p, chip);
    if (!found.empty()) log_ << "#" << i << " " << request_.what << " " << name << ": " << found << std::endl;
    return true;
  }

  void answer(std::size_t i, const std::string& name, const GeneratedProgram& p, const Outcome& chip) {
    const FormProgram* const form = questions_.form(i);
    if (const reference::SingleInstruction* const single = questions_.single(i)) {
      answers_ << fmt::format("{}\t{}\t{:08x}", i, name, program_digest(p));
      for (unsigned w = 0; w < warps_of(*single); ++w)
        answers_ << fmt::format("{}{:08x}", w == 0 ? "\t" : " ", warp_digest(*single, chip.out, w));
      answers_ << "\n";
    } else if (form == nullptr) {
      answers_ << fmt::format("{}\t{}\t{:08x}\t{:08x}\n", i, name, program_digest(p), outcome_digest(chip));
    } else if (request_.what == "forms") {
      for (std::size_t slot = 0; slot < form->opcodes.size(); slot += reference::kDraws)
        answers_ << fmt::format("{}\t{}\t{:08x}\n", i, form->names[slot],
                                reference::opcode_digest(*form, chip.out, slot));
    } else {
      for (std::size_t slot = 0; slot < form->opcodes.size(); ++slot) {
        const int bits = reference::approximate_forms()[slot].bits;
        const bool two = reference::approximate_forms()[slot].operands == 2;
        for (unsigned t = 0; t < p.threads(); ++t) {
          answers_ << fmt::format("{}\t{}\t{:0{}x}", i, form->opcodes[slot],
                                  reference::approximate_operand(p, t, 0, bits), bits / 4);
          answers_ << (two ? fmt::format("\t{:08x}", reference::approximate_operand(p, t, 1, bits)) : "\t-");
          answers_ << fmt::format(
              "\t{:0{}x}\n", slot_value(chip.out, t, slot * FormProgram::kSlotBytes, bits / 8), bits / 4);
        }
      }
    }
    answers_.flush();
  }

  std::string compare(std::size_t i, const GeneratedProgram& p, const Outcome& chip) {
    if (request_.what == "approximate") return "";
    if (questions_.single(i)) {
      const Outcome platform = run_platform(p, ptx::Code::kPtx);
      return platform.error.empty() ? difference(chip, "chip", platform, "platform")
                                    : "platform: " + platform.error;
    }
    const Outcome model = run_reference(p);
    if (!model.error.empty()) return model.error;
    std::string found = difference(chip, "chip", model, "reference");
    if (found.empty()) {
      const Outcome platform = run_platform(p, ptx::Code::kPtx);
      if (!platform.error.empty()) return "platform: " + platform.error;
      return difference(chip, "chip", platform, "platform");
    }
    if (const FormProgram* const form = questions_.form(i)) {
      const std::string forms = differing_forms(*form, chip, model, "reference");
      return forms.empty() ? "" : "differs\n" + forms;
    }
    if (request_.what == "random" && shrunk_ < request_.shrink) {
      ++shrunk_;
      found += "\n" + smallest(p);
    }
    return found;
  }

  std::string smallest(GeneratedProgram p) {
    // Registers without a first value would differ for no reason.
    reference::Piece& entry = p.root.inside.back();
    for (reference::Piece& line : entry.inside.front().inside) line.droppable = false;
    bool lost = false;
    const GeneratedProgram small = shrunk(p, [&](const GeneratedProgram& q) -> std::string {
      if (lost) return "";
      const Outcome model = run_reference(q);
      if (!model.error.empty()) return "invalid";
      const ChipOutcome chip = run_chip(q);
      lost |= chip.lost;
      return chip.error.empty() ? difference(chip, "chip", model, "reference") : "refused";
    });
    if (lost) return "(lost while shrinking)";
    std::string text;
    for (const reference::Piece& piece : small.root.inside.back().inside)
      if (&piece != &small.root.inside.back().inside.front() &&
          &piece != &small.root.inside.back().inside.back())
        text += rendered(piece);
    for (std::size_t f = 0; f + 1 < small.root.inside.size(); ++f) text += rendered(small.root.inside[f]);
    return "smallest part:\n" + text + difference(run_chip(small), "chip", run_reference(small), "reference");
  }
  static std::string rendered(const reference::Piece& piece) {
    GeneratedProgram p;
    p.root = piece;
    return p.text();
  }

  const ConformanceRequest& request_;
  const Questions& questions_;
  std::size_t* at_;
  std::ofstream answers_, log_;
  unsigned shrunk_ = 0;
};

/// All lines of the files, by the number that they begin with, without it.
std::vector<std::string> sorted_lines(const std::vector<std::string>& files) {
  std::vector<std::pair<std::size_t, std::string>> lines;
  for (const std::string& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const std::size_t tab = line.find('\t');
      lines.emplace_back(std::stoull(line), line.substr(tab + 1));
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (auto& line : lines) out.push_back(std::move(line.second));
  return out;
}

}  // namespace

ChipOutcome run_chip(const GeneratedProgram& p, unsigned level) {
  const CudaDriver& cuda = CudaDriver::get();
  ChipOutcome outcome;
  outcome.out.resize(p.threads() * GeneratedProgram::kOutputBytes);
  outcome.cells = p.cells;
  CuHandle module = nullptr;
  try {
    module = load_ptx("k.ptx", p.text(), level);
  } catch (const InputError& error) {
    outcome.error = std::string("refused: ") + error.what();
    return outcome;
  }
  try {
    CuHandle function = nullptr;
    cuda.check(cuda.ModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
    CuDevicePtr places[3] = {};
    const std::size_t sizes[3] = {p.in.size(), outcome.out.size(), outcome.cells.size()};
    for (int i = 0; i < 3; ++i)
      cuda.check(cuda.MemAlloc(&places[i], std::max<std::size_t>(sizes[i], 256)), "cuMemAlloc");
    if (!p.in.empty()) cuda.check(cuda.MemcpyHtoDAsync(places[0], p.in.data(), sizes[0], nullptr), "copy");
    cuda.check(cuda.MemsetD8Async(places[1], 0, sizes[1], nullptr), "cuMemsetD8Async");
    cuda.check(cuda.MemcpyHtoDAsync(places[2], outcome.cells.data(), sizes[2], nullptr), "copy");
    void* values[3] = {&places[0], &places[1], &places[2]};
    cuda.check(cuda.LaunchKernel(function, p.grid[0], p.grid[1], p.grid[2], p.block[0], p.block[1],
                                 p.block[2], 0, nullptr, values, nullptr),
               "launch");
    const auto begin = std::chrono::steady_clock::now();
    int status = 0;
    while ((status = cuda.StreamQuery(nullptr)) == CudaDriver::kNotReady) {
      if (std::chrono::steady_clock::now() - begin > kPatience) throw InputError("does not end");
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    cuda.check(status, "run");
    cuda.check(cuda.MemcpyDtoHAsync(outcome.out.data(), places[1], sizes[1], nullptr), "copy");
    cuda.check(cuda.MemcpyDtoHAsync(outcome.cells.data(), places[2], sizes[2], nullptr), "copy");
    cuda.check(cuda.StreamSynchronize(nullptr), "copy");
    for (const CuDevicePtr place : places) cuda.check(cuda.MemFree(place), "cuMemFree");
    cuda.check(cuda.ModuleUnload(module), "cuModuleUnload");
  } catch (const InputError& error) {
    outcome.error = error.what();
    outcome.lost = true;
  }
  return outcome;
}

void for_each_program(const ConformanceRequest& request,
                      const std::function<void(const std::string& name, const std::string& text)>& visit) {
  const Questions questions(request);
  for (std::size_t i = 0; i < questions.size(); ++i) visit(questions.name(i), questions.program(i).text());
}

unsigned ask_chip(const ConformanceRequest& request, std::ostream& answers, std::ostream& log) {
  const Questions questions(request);
  auto* const at = static_cast<std::size_t*>(mmap(nullptr, request.jobs * sizeof(std::size_t),
                                                  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (at == MAP_FAILED) throw InputError("no shared memory for the workers");
  std::vector<std::string> answer_files, log_files;
  std::map<pid_t, unsigned> workers;
  const auto start = [&](unsigned job, std::size_t from) {
    const pid_t child = fork();
    if (child < 0) throw InputError("cannot start a process");
    if (child == 0) {
      // The GPU is opened here: a process that has opened it must not fork.
      int status = 0;
      try {
        Worker(request, questions, at + job, answer_files[job], log_files[job]).run(from, request.jobs);
      } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        status = static_cast<int>(ExitCode::kBadInput);
      }
      _exit(status);
    }
    workers[child] = job;
  };
  for (unsigned job = 0; job < request.jobs; ++job) {
    const std::string stem = fmt::format("/tmp/on_chip.{}.{}.{}", getpid(), request.what, job);
    answer_files.push_back(stem + ".answers");
    log_files.push_back(stem + ".log");
    at[job] = job;
  }
  for (unsigned job = 0; job < request.jobs; ++job) start(job, job);
  bool no_chip = false;
  while (!workers.empty()) {
    int status = 0;
    const pid_t child = wait(&status);
    const auto it = workers.find(child);
    if (it == workers.end()) continue;
    const unsigned job = it->second;
    workers.erase(it);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ExitCode::kBadInput)) {
      no_chip = true;
      continue;
    }
    if (!WIFEXITED(status)) log << "#" << at[job] << " the process was ended by a signal\n";
    start(job, at[job] + request.jobs);
  }
  munmap(at, request.jobs * sizeof(std::size_t));
  if (no_chip) throw InputError("the chip cannot be asked");
  for (const std::string& line : sorted_lines(answer_files)) answers << line << '\n';
  unsigned differ = 0;
  for (const std::string& file : log_files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      differ += line[0] == '#';
      log << line << '\n';
    }
  }
  for (const auto* files : {&answer_files, &log_files})
    for (const std::string& file : *files) unlink(file.c_str());
  return differ;
}

}  // namespace warpvp::chip
