#pragma once
// Runs kernels given as PTX text functionally, for tests of behaviour that spans instructions.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ptx/exec/functional_runner.h"
#include "ptx/module.h"
#include "tests/support/code_mode.h"

namespace warpvp::ptx::testing {

/// A module in its own device memory.
class PtxModule {
 public:
  /// `text`: a whole module, or a file of tests/ptx_exec/programs when it ends in ".ptx".
  explicit PtxModule(const std::string& text) : memory_(1 << 22), runner_(memory_) {
    runner_.stale = 0x7fc0'dead;
    const bool is_file = text.size() > 4 && text.compare(text.size() - 4, 4, ".ptx") == 0;
    module_ = is_file ? Module::load("tests/ptx_exec/programs/" + text, test::code_mode())
                      : Module::parse(text, "test.ptx", test::code_mode());
    module_->place([this](const GlobalVariable& v) { return memory_.allocate(v.bytes); },
                   [this](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
                     memory_.write(address, bytes.data(), bytes.size());
                   });
    runner_.limit = 20'000'000;
    runner_.print = [this](const std::string& s) { printed += s; };
  }

  template <class T>
  std::uint64_t buffer(const std::vector<T>& values) {
    const std::uint64_t address = memory_.allocate(values.size() * sizeof(T));
    memory_.write(address, values.data(), values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> read(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    memory_.read(address, values.data(), count * sizeof(T));
    return values;
  }
  std::shared_ptr<Program> entry(const std::string& name) { return module_->entry(name); }

  /// Arguments are packed in order, each aligned to its size.
  template <class... Args>
  FunctionalResult run(const std::string& name, Dim3 grid, Dim3 block, unsigned dynamic_shared,
                       Args... args) {
    std::vector<std::uint8_t> block_of_arguments;
    (pack(block_of_arguments, args), ...);
    return runner_.run(*module_->entry(name), grid, block, block_of_arguments, dynamic_shared);
  }
  /// One CTA of `threads` threads whose kernel takes (output pointer, further arguments): returns the
  /// outputs.
  template <class T, class... Args>
  std::vector<T> outputs(const std::string& name, unsigned threads, std::size_t count, Args... args) {
    const std::uint64_t out = buffer(std::vector<T>(count));
    const FunctionalResult r = run(name, {1, 1, 1}, {threads, 1, 1}, 0, out, args...);
    EXPECT_TRUE(r.ok()) << (r.fault ? r.fault->summary() + "\n" + r.fault->detail : "");
    return read<T>(out, count);
  }

  FlatMemory& memory() { return memory_; }
  FunctionalRunner& runner() { return runner_; }
  std::string printed;

 private:
  template <class A>
  static void pack(std::vector<std::uint8_t>& to, const A& value) {
    const std::size_t at = (to.size() + sizeof(A) - 1) / sizeof(A) * sizeof(A);
    to.resize(at + sizeof(A));
    std::memcpy(to.data() + at, &value, sizeof(A));
  }
  FlatMemory memory_;
  FunctionalRunner runner_;
  std::unique_ptr<Module> module_;
};

}  // namespace warpvp::ptx::testing
