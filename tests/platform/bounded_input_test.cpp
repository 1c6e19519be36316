// Input of any size costs one line, status 2 and less than 200 MB.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/sanitizers.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

std::string times(std::size_t count, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

/// The most memory that any program run by this process has had resident, in KiB.
[[maybe_unused]] long most_resident() {
  struct rusage usage {};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

/// The program with these words: in an address space of 200 MB beyond what `warpvp version` needs, less than
/// 200 MB of which is ever resident.
void expect_refused_in_little_memory(const std::vector<std::string>& words, const std::string& message) {
  std::vector<std::string> command = {"-c", "ulimit -v 400000; exec \"$0\" \"$@\"", WARPVP_PROGRAM};
#if WARPVP_HAS_ASAN || WARPVP_HAS_TSAN
  command[1] = "exec \"$0\" \"$@\"";  // whose shadow takes all of the address space
#endif
  command.insert(command.end(), words.begin(), words.end());
  const Finished run = run_program_at("/bin/sh", command);
#if !WARPVP_HAS_ASAN && !WARPVP_HAS_TSAN
  EXPECT_LT(most_resident(), 200 * 1000 * 1000 / 1024);
#endif
  EXPECT_EQ(run.status, 2) << run.err.substr(0, 1000);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err.substr(0, 1000);
  EXPECT_LT(run.err.size(), 9000u);
  EXPECT_THAT(run.err.substr(0, 9000), HasSubstr(message));
}

/// Writes a file and forgets its text: what this process holds when it starts the program would count.
std::string file_of(const ScratchFolder& scratch, const std::string& name, std::string text) {
  std::string file = scratch.file(name, text);
  std::string().swap(text);
  return file;
}

void expect_refused_file(std::string text, const std::string& message) {
  const ScratchFolder scratch;
  const std::string file = file_of(scratch, "run.yaml", std::move(text));
  expect_refused_in_little_memory({"run", file, "--out", (scratch / "out").string()}, message);
}

TEST(BoundedInput, Yaml) {
  expect_refused_file("a: " + std::string(30'000'000, 'x'), "a word of 65537 bytes or more");
  expect_refused_file("a: " + std::string(60'000'000, 'x'), "more than the 33554432 allowed");
  expect_refused_file(std::string(5'000'000, 'x') + ": 1", "a word of 65537 bytes or more");
  expect_refused_file("a: \"" + times(1'000'000, "x y") + "\"", "a word of 3000000 bytes or more");
  expect_refused_file("a: " + std::string(100'000, '['), "nested more than 64 deep");
  expect_refused_file(times(100'000, "- "), "nested more than 64 deep");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            times(10, "*a" + std::to_string(i - 1) + ", ") + "]\n";
  expect_refused_file(bomb, "aliases repeat more than 200000 values");
  expect_refused_file("platform: " + std::string(60'000, 'x') + "\nworkload: {app: hello}\n",
                      "no file '" + std::string(80, 'x') + "...'");
}

TEST(BoundedInput, Json) {
  const auto expect = [](std::string text, const std::string& message) {
    const ScratchFolder scratch;
    std::filesystem::create_directory(scratch / "out");
    file_of(scratch, "out/result.json", std::move(text));
    expect_refused_in_little_memory({"report", (scratch / "out").string()}, message);
  };
  const std::string begin = "{\"exit_code\": 0, \"message\": ";
  expect(begin + "\"" + std::string(60'000'000, 'x') + "\"}", "a string of more than 16777216 bytes");
  expect(begin + "\"" + times(10'000'000, "\\\"") + "\"}", "a string of more than 16777216 bytes");
  expect(begin + std::string(100'000, '[') + std::string(100'000, ']') + "}", "nested more than 64 deep");
  expect(times(100'000, "{\"a\":"), "nested more than 64 deep");
  expect(begin + "[1" + times(10'000'000, ",1") + "]}", "more than 10000000 values");
  {
    const ScratchFolder scratch;
    std::filesystem::create_directory(scratch / "out");
    scratch.file("out/result.json", "{}");
    std::filesystem::resize_file(scratch / "out/result.json", std::uintmax_t{1} << 31);
    expect_refused_in_little_memory({"report", (scratch / "out").string()},
                                    "more than the 268435456 allowed");
  }
}

TEST(BoundedInput, Traces) {
  const auto expect = [](std::string text, const std::string& message) {
    const ScratchFolder scratch;
    const std::string run = scratch.file(
        "run.yaml",
        "platform: {extends: small, sm: {frontend: {fetch_width: 1}}}\nworkload: {app: vector_add}\n");
    const std::string traces = file_of(scratch, "t.txt", std::move(text));
    expect_refused_in_little_memory({"predict", run, "--traces", traces, "--out", (scratch / "out").string()},
                                    message);
  };
  expect("warpvp-trace 1\n" + std::string(60'000'000, 'x'), "t.txt:2: a line of more than 65536 bytes");
  expect("warpvp-trace 1\nprogram " + times(20'000'000, "1 "), "t.txt:2: a line of more than 65536 bytes");
}

TEST(BoundedInput, CommandLine) {
  expect_refused_in_little_memory({"run", "hello", "--set", "platform.sms=" + std::string(120'000, '9')},
                                  "...");
  expect_refused_in_little_memory({"run", "hello", "--set", std::string(120'000, 'k') + "=3"}, "...");
}

TEST(BoundedInput, Ptx) {
  const auto expect = [](const std::string& body, const std::string& message) {
    const ScratchFolder scratch;
    expect_refused_in_little_memory(
        {"ptx", file_of(scratch, "k.ptx",
                        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" + body +
                            "\nret;\n}\n")},
        message);
  };
  expect("mov.b32 " + std::string(1'000'000, 'x') + ", 1;", "a word of 1000000 bytes");
  expect(".reg .b32 r; mov.b32 r, " + std::string(1'000'000, '9') + ";", "does not fit 64 bits");
  expect(std::string(100'000, '{'), "blocks are nested too deeply");
  expect(".reg .b32 r; mov.b32 r, " + std::string(100'000, '(') + "1" + std::string(100'000, ')') + ";",
         "none of its kernels can run");
}

}  // namespace
}  // namespace warpvp::test
