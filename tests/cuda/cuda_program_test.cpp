// `warpvp cuda`: programs (program.cpp, and what nvcc makes where there is one) from the command line to
// their output, status and result.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Finished run_cuda(const ScratchFolder& scratch, std::vector<std::string> program,
                  const std::vector<std::string>& options = {}) {
  std::vector<std::string> words = {"cuda", "--platform", "small", "-o", (scratch / "run").string()};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), program.begin(), program.end());
  return run_program(words);
}
Finished run_case(const ScratchFolder& scratch, const std::string& name) {
  return run_cuda(scratch, {CUDA_TEST_PROGRAM, name});
}

/// The program checks itself.
class CudaProgramPasses : public testing::TestWithParam<const char*> {};

TEST_P(CudaProgramPasses, AndEndsWithStatusZero) {
  const ScratchFolder scratch;
  const Finished run = run_case(scratch, GetParam());
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "");
  const auto result = read_result(scratch / "run");
  EXPECT_EQ(result["measured"]["exit_status"], 0);
  EXPECT_EQ(result["processes"][0]["state"], "finished");
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaProgramPasses,
                         testing::Values("plain", "streams", "legacy", "symbols", "managed", "parameters",
                                         "rows", "textures", "blocks", "cooperative", "graphs", "per_thread",
                                         "errors", "threads", "properties", "forks", "nothing", "leaves"),
                         [](const auto& info) { return std::string(info.param); });

TEST(CudaProgram, FunctionalIsTheSettingsThatItsHelpNames) {
  const ScratchFolder scratch;
  const auto kernels = [&](const std::vector<std::string>& options) {
    EXPECT_EQ(run_cuda(scratch, {CUDA_TEST_PROGRAM, "plain"}, options).status, 0);
    const auto result = read_result(scratch / "run");
    return std::pair(result["kernels"], result["simulation"]);
  };
  const auto functional = kernels({"--functional"});
  std::vector<std::string> sets = {"platform.sm.type=functional", "platform.dma.traffic=false",
                                   "platform.sm.exchange=auto", "platform.evaluation.threads=0"};
  const auto set = [&sets] {
    std::vector<std::string> options;
    for (const std::string& one : sets) options.insert(options.end(), {"--set", one});
    return options;
  };
  EXPECT_EQ(kernels(set()), functional);
  sets[2] = "platform.sm.exchange=at_once";
  EXPECT_NE(kernels(set()), functional);
}

/// Launches that are on their way while the program goes on: the same as if it waited for each.
class CudaLaunchesPass : public testing::TestWithParam<const char*> {};
TEST_P(CudaLaunchesPass, AndEndWithStatusZero) {
  for (const char* const sm : {"cycle", "functional"}) {
    const ScratchFolder scratch;
    const Finished run =
        run_cuda(scratch, {CUDA_LAUNCH_PROGRAM, GetParam()}, {"--set", std::string("platform.sm.type=") + sm});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    EXPECT_EQ(run.out, "");
  }
}
INSTANTIATE_TEST_SUITE_P(Cases, CudaLaunchesPass,
                         testing::Values("many", "large", "copies", "wrong_ones", "in_order", "leaves"),
                         [](const auto& info) { return std::string(info.param); });

TEST(CudaLaunches, AreAllDoneWhenTheProgramHasEnded) {
  const ScratchFolder scratch;
  EXPECT_EQ(run_cuda(scratch, {CUDA_LAUNCH_PROGRAM, "leaves"}).status, 0);
  EXPECT_EQ(read_result(scratch / "run")["processes"][0]["launches"], 20);
}

TEST(CudaLaunches, AFaultIsSaidByTheNextCall) {
  for (const char* const name : {"fault", "fault_before_many"}) {
    const ScratchFolder scratch;
    const Finished run = run_cuda(scratch, {CUDA_LAUNCH_PROGRAM, name});
    EXPECT_EQ(run.status, 3) << name;
    EXPECT_EQ(run.out, "") << name << ": its own checks";
    EXPECT_THAT(run.err, HasSubstr("kernel step")) << name;
  }
}

TEST(CudaLaunches, WhatTheyPrintComesBeforeWhatFollows) {
  const ScratchFolder scratch;
  EXPECT_EQ(run_cuda(scratch, {CUDA_LAUNCH_PROGRAM, "prints"}).out,
            "before\nfrom kernel\nfrom kernel\nfrom kernel\nafter\n");
}

// However the machine has the program and the simulator take turns.
TEST(CudaLaunches, RunsRepeatBitForBit) {
  const ScratchFolder scratch;
  EXPECT_EQ(run_cuda(scratch, {CUDA_LAUNCH_PROGRAM, "in_order"}).status, 0);
  const auto first = read_result(scratch / "run");
  for (int again = 0; again < 4; ++again) {
    EXPECT_EQ(run_cuda(scratch, {CUDA_LAUNCH_PROGRAM, "in_order"}).status, 0);
    EXPECT_EQ(read_result(scratch / "run")["kernels"], first["kernels"]);
    EXPECT_EQ(read_result(scratch / "run")["simulation"], first["simulation"]);
  }
}

/// So do those of libraries. `refused`: what a case calls that is not offered.
struct LibraryCase {
  const char* library;
  const char* program;
  const char* name;
  const char* refused = "";
};
void PrintTo(const LibraryCase& c, std::ostream* to) { *to << c.library << " " << c.name; }
class CudaLibraryProgramPasses : public testing::TestWithParam<LibraryCase> {};

TEST_P(CudaLibraryProgramPasses, AndEndsWithStatusZero) {
  const ScratchFolder scratch;
  const auto& [library, program, name, refused] = GetParam();
  const Finished run = run_cuda(scratch, {program, name}, {"--set", "platform.sm.type=functional"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "");
  if (*refused != 0) {
    EXPECT_THAT(run.err, HasSubstr(std::string(refused) + " is not offered"));
  }
}

std::vector<LibraryCase> cases_of(const char* library, const char* program,
                                  const std::vector<const char*>& names, const char* refused) {
  std::vector<LibraryCase> all;
  for (const char* name : names) all.push_back({library, program, name});
  all.push_back({library, program, "mistakes", refused});
  return all;
}
std::string name_of(const testing::TestParamInfo<LibraryCase>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Blas, CudaLibraryProgramPasses,
                         testing::ValuesIn(cases_of("blas", CUDA_BLAS_PROGRAM,
                                                    {"level1", "level2", "gemm", "level3", "types", "lu",
                                                     "lt", "lt_types", "lt_epilogues", "lt_orders", "lt_algorithms", "batches", "copies", "complex", "stored", "others",
                                                     "legacy"},
                                                    "cublasUint8gemmBias")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Fft, CudaLibraryProgramPasses,
                         testing::ValuesIn(cases_of("fft", CUDA_FFT_PROGRAM,
                                                    {"lengths", "dimensions", "real", "layouts", "plans"},
                                                    "cufftXtSetCallback")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Rand, CudaLibraryProgramPasses,
                         testing::ValuesIn(cases_of("rand", CUDA_RAND_PROGRAM,
                                                    {"sequences", "distributions", "poissons", "streams"},
                                                    "curandGetDirectionVectors32")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Solver, CudaLibraryProgramPasses,
                         testing::ValuesIn(cases_of("solver", CUDA_SOLVER_PROGRAM,
                                                    {"lu", "exchanges", "cholesky", "batches", "qr", "eigen",
                                                     "singular", "generic", "jacobi", "generalized"},
                                                    "cusolverSpCreate")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Sparse, CudaLibraryProgramPasses,
                         testing::ValuesIn(cases_of("sparse", CUDA_SPARSE_PROGRAM,
                                                    {"vectors", "spmv", "spmm", "sddmm", "batches", "spgemm",
                                                     "triangles", "factors", "tridiagonal", "dense", "sorts",
                                                     "sums", "streams", "captured"},
                                                    "cusparseSbsrmv")),
                         name_of);

TEST(CudaNvmlProgram, KnowsTheDevice) {
  const ScratchFolder scratch;
  const Finished run = run_cuda(scratch, {CUDA_NVML_PROGRAM});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("nvmlDeviceGetPowerUsage is not offered"));
}

// A program that has its kernels compiled while it runs gets PTX, in the file that it expects.
TEST(CudaProgram, AnNvccThatItCallsMakesPtx) {
  const ScratchFolder scratch;
  const std::string tools = (scratch / "tools").string();
  ASSERT_EQ(mkdir(tools.c_str(), 0777), 0);
  std::ofstream(tools + "/nvcc") << "#!/bin/sh\necho \"nvcc: $*\"\n";
  ASSERT_EQ(chmod((tools + "/nvcc").c_str(), 0777), 0);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (tools + ":" + path).c_str(), 1);
  const Finished run = run_cuda(
      scratch, {"sh", "-c", "nvcc --cubin -arch sm_70 'a b/k.cu'; nvcc -cubin -o x k.cu; nvcc -c y.cu"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(run.out, "nvcc: -ptx -arch sm_70 a b/k.cu -o k.cubin\nnvcc: -ptx -o x k.cu\nnvcc: -c y.cu\n")
      << run.err;
}

/// So does that of graphs.
class CudaGraphProgramPasses : public testing::TestWithParam<const char*> {};

TEST_P(CudaGraphProgramPasses, AndEndsWithStatusZero) {
  const ScratchFolder scratch;
  const Finished run = run_cuda(scratch, {CUDA_GRAPH_PROGRAM, GetParam()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "");
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaGraphProgramPasses,
                         testing::Values("nodes", "children", "loops", "branches", "memory", "captures"),
                         [](const auto& info) { return std::string(info.param); });

/// So does the one that asks.
class CudaQueryProgramPasses : public testing::TestWithParam<const char*> {};

TEST_P(CudaQueryProgramPasses, AndEndsWithStatusZero) {
  const ScratchFolder scratch;
  const Finished run = run_cuda(scratch, {CUDA_QUERY_PROGRAM, GetParam()});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "");
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaQueryProgramPasses,
                         testing::Values("references", "more_than_there_is", "questions", "entries"),
                         [](const auto& info) { return std::string(info.param); });

/// So does the one of shared memory, linked code and kernels that launch, on an SM with a pipeline and one
/// without.
class CudaSharingProgramPasses : public testing::TestWithParam<const char*> {};

TEST_P(CudaSharingProgramPasses, AndEndsWithStatusZero) {
  for (const char* type : {"cycle", "functional"}) {
    const ScratchFolder scratch;
    const Finished run = run_cuda(scratch, {CUDA_SHARING_PROGRAM, GetParam()},
                                  {"--set", std::string("platform.sm.type=") + type});
    EXPECT_EQ(run.status, 0) << type << run.out << run.err;
    EXPECT_EQ(run.out, "") << type;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaSharingProgramPasses,
                         testing::Values("pinned", "registered", "linked", "launches", "copies", "endless"),
                         [](const auto& info) { return std::string(info.param); });

// The runtime that is linked into a program is not entered.
TEST(CudaProgram, ALinkedRuntimeIsReplaced) {
  for (const char* name : {"plain", "streams", "managed", "errors", "threads"}) {
    const ScratchFolder scratch;
    const Finished run = run_cuda(scratch, {CUDA_LINKED_PROGRAM, name});
    EXPECT_EQ(run.status, 0) << name << run.out << run.err;
    EXPECT_EQ(run.out, "") << name;
  }
  // By itself it is.
  EXPECT_EQ(run_program_at(CUDA_LINKED_PROGRAM, {"plain"}).status, 9);
}

TEST(CudaProgram, AStrippedOneIsToldWhatToDo) {
  const ScratchFolder scratch;
  const Finished run = run_cuda(scratch, {CUDA_STRIPPED_PROGRAM, "plain"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("do not strip it, or link it with -cudart shared"));
}

TEST(CudaProgram, KernelsAreInTheResult) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_case(scratch, "plain").status, 0);
  const auto result = read_result(scratch / "run");
  ASSERT_EQ(result["kernels"].size(), 1u);
  EXPECT_EQ(result["kernels"][0]["name"], "add");
  EXPECT_EQ(result["kernels"][0]["ctas"], 20);
  EXPECT_EQ(result["processes"][0]["copies_to_device"], 2);
  EXPECT_EQ(result["processes"][0]["bytes_to_host"], 20000);
  EXPECT_GT(result["simulation"]["kernel_cycles"], 500);
}

TEST(CudaProgram, OptionsReachTheRun) {
  const ScratchFolder scratch;
  const Finished run =
      run_cuda(scratch, {CUDA_TEST_PROGRAM, "plain"},
               {"--set", "platform.sm.warp_scheduler=lrr", "--seed", "9", "--trace", "--summary"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("add"));
  EXPECT_THAT(run.out, HasSubstr("warp instructions in"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "run/trace.json"));
  const auto result = read_result(scratch / "run");
  EXPECT_EQ(result["seed"], 9);
  EXPECT_THAT(result["config"]["platform"]["sm"]["warp_scheduler"].dump(), HasSubstr("lrr"));
}

// What is set besides comes after it.
TEST(CudaProgram, FunctionalIsForResultsAlone) {
  const ScratchFolder scratch;
  const Finished run = run_cuda(scratch, {CUDA_TEST_PROGRAM, "plain"},
                                {"--functional", "--set", "platform.sm.slice_cycles=700"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto platform = read_result(scratch / "run")["config"]["platform"];
  EXPECT_THAT(platform["sm"].dump(), AllOf(HasSubstr("functional"), HasSubstr("700")));
  EXPECT_EQ(platform["dma"]["traffic"], false);
}

// Between calls no time passes, so a run does not depend on the machine.
TEST(CudaProgram, RunsRepeatBitForBit) {
  for (const char* name : {"plain", "streams", "managed"}) {
    const ScratchFolder a, b;
    ASSERT_EQ(run_case(a, name).status, 0);
    ASSERT_EQ(run_case(b, name).status, 0);
    auto first = read_result(a / "run"), second = read_result(b / "run");
    EXPECT_EQ(first, second) << name;
  }
}

TEST(CudaProgram, ItsStatusIsPassedOn) {
  const ScratchFolder scratch;
  const Finished run = run_case(scratch, "status");
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(read_result(scratch / "run")["measured"]["exit_status"], 5);
  EXPECT_EQ(run_case(scratch, "crash").status, 128 + SIGABRT);
  const auto nowhere = run_case(scratch, "no_memory_there");
  EXPECT_EQ(nowhere.status, 128 + SIGSEGV);
  EXPECT_NE(nowhere.err.find("memory of the host that it does not have"), std::string::npos) << nowhere.err;
}

TEST(CudaProgram, WhatKernelsPrintComesInItsPlace) {
  const ScratchFolder scratch;
  EXPECT_EQ(run_case(scratch, "prints").out, "before\nfrom kernel\nafter\n");
}

TEST(CudaProgram, AFaultReachesItAndTheExitStatus) {
  const ScratchFolder scratch;
  const Finished run = run_case(scratch, "fault");
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.out, "");  // its own checks passed
  EXPECT_THAT(run.err, HasSubstr("kernel stray"));
  EXPECT_THAT(run.err, HasSubstr("folder/stray.cu:42: fault in stray"));
  const auto result = read_result(scratch / "run");
  EXPECT_EQ(result["processes"][0]["state"], "faulted");
  EXPECT_THAT(result["processes"][0]["fault"].get<std::string>(),
              HasSubstr("global store through a null pointer"));
}

// CUDA Runtime API, "cudaError": each ends the context by an error of its own.
TEST(CudaProgram, AFaultSaysOfWhichKindItIs) {
  const std::pair<const char*, const char*> cases[] = {{"assertion", "device assertion failed"},
                                                       {"trap", "trap instruction"},
                                                       {"misaligned", "misaligned global store"}};
  for (const auto& [name, words] : cases) {
    const ScratchFolder scratch;
    const Finished run = run_case(scratch, name);
    EXPECT_EQ(run.status, 3) << name;
    EXPECT_THAT(run.err, HasSubstr(words));
    EXPECT_THAT(run.out, Not(HasSubstr("line "))) << "its own checks";
  }
}

TEST(CudaProgram, WhatIsRefusedIsNamed) {
  const ScratchFolder scratch;
  const Finished run = run_case(scratch, "errors");
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.err, HasSubstr("cudaIpcGetMemHandle is not offered"));
  EXPECT_THAT(run.err,
              HasSubstr("module 2: entry 1 of the fat binary: damaged: its zstd data does not decompress"));
  EXPECT_THAT(run.err, HasSubstr("no PTX in it, but machine code of sm 90; compile with -gencode"));
  EXPECT_THAT(run.err, HasSubstr("missing"));
}

// With the runtime linked in, as a library, and with relocatable code.
TEST(CudaProgram, WhatNvccMakesRunsAsItIs) {
#ifdef WARPVP_NVCC
  const ScratchFolder scratch;
  for (const std::string flag : {"-cudart=static", "-cudart=shared", "-rdc=true"}) {
    const std::string program = (scratch / "program").string();
    const Finished compiler =
        run_program_at(WARPVP_NVCC, {"-w", "-std=c++17", "-gencode", "arch=compute_75,code=compute_75", flag,
                                     WARPVP_SOURCE "/tests/cuda/nvcc_program.cu", "-o", program});
    if (compiler.status != 0) GTEST_SKIP() << "nvcc cannot compile it: " << compiler.err;
    const Finished run = run_cuda(scratch, {program});
    EXPECT_EQ(run.status, 0) << flag << run.err;
    EXPECT_EQ(run.out,
              "templates and symbols right\nstructs right\nmanaged variables right\nfrom thread 0: 7\n"
              "from thread 1: 7\ntextures right\ngraphs right\ncooperative groups right\n");
  }
#else
  GTEST_SKIP() << "there is no nvcc: the CUDA toolkit has it";
#endif
}

// Made for sm_80 and for chips that have bulk copies, on an SM with a pipeline and one without.
TEST(CudaProgram, AsynchronousCopiesAndSparseMatrices) {
#ifdef WARPVP_NVCC
  const ScratchFolder scratch;
  for (const std::string architecture : {"80", "90"}) {
    const bool bulk = architecture != "80";
    const std::string program = (scratch / ("async" + architecture)).string();
    std::vector<std::string> words = {"-w",
                                      "-std=c++17",
                                      "-gencode",
                                      "arch=compute_" + architecture + ",code=compute_" + architecture,
                                      WARPVP_SOURCE "/tests/cuda/nvcc_async_program.cu",
                                      "-o",
                                      program};
    if (bulk) words.emplace_back("-DBULK");
    const Finished compiler = run_program_at(WARPVP_NVCC, words);
    if (compiler.status != 0) GTEST_SKIP() << "nvcc cannot compile it: " << compiler.err;
    for (const char* type : {"cycle", "functional"}) {
      const Finished run = run_cuda(scratch, {program}, {"--set", std::string("platform.sm.type=") + type});
      EXPECT_EQ(run.status, 0) << architecture << type << run.err;
      EXPECT_EQ(
          run.out,
          std::string("memcpy_async right\nsparse matrices right\n") +
              (bulk ? "bulk copies right\nbulk reductions right\nclusters of one right\nelect right\n" : ""));
    }
  }
#else
  GTEST_SKIP() << "there is no nvcc: the CUDA toolkit has it";
#endif
}

// Two programs share the device, each a context of its own.
TEST(CudaProgram, SeveralShareADevice) {
  const ScratchFolder scratch;
  const std::string program = CUDA_TEST_PROGRAM;
  const std::string file = scratch.file("two.yaml",
                                        "platform: small\nworkload:\n  processes:\n"
                                        "    - {app: cuda, name: first, params: {program: " +
                                            program +
                                            ", arguments: streams}}\n"
                                            "    - {app: cuda, name: second, params: {program: " +
                                            program +
                                            ", arguments: plain}, priority: 1}\n"
                                            "    - {app: cuda, name: third, params: {program: " +
                                            program + ", arguments: fault}}\n");
  const Finished run = run_program({"run", file, "-q", "-o", (scratch / "run").string()});
  EXPECT_EQ(run.status, 3) << run.err;
  const auto processes = read_result(scratch / "run")["processes"];
  ASSERT_EQ(processes.size(), 3u);
  EXPECT_EQ(processes[0]["state"], "finished");
  EXPECT_EQ(processes[1]["state"], "finished");
  EXPECT_EQ(processes[2]["state"], "faulted");
  EXPECT_EQ(processes[0]["launches"], 1);
  EXPECT_EQ(processes[1]["launches"], 1);
}

TEST(CudaProgram, WhatIsNoCudaProgramRunsAndDoesNothing) {
  const ScratchFolder scratch;
  // Words arrive as they were written, whatever is in them.
  const Finished run =
      run_cuda(scratch, {"/usr/bin/printf", "<%s>", "a b", "", "it's", "\"x\"", "\\n $HOME", "c"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "<a b><><it's><\"x\"><\\n $HOME><c>");
}

TEST(CudaProgram, BadInputIsRefused) {
  const ScratchFolder scratch;
  Finished run = run_cuda(scratch, {"/nowhere/program"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("cannot start /nowhere/program: No such file or directory"));
  run = run_program({"cuda", "--platform", "small"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("behind '--'"));
  run = run_program({"cuda", "program"});
  EXPECT_EQ(run.status, 2);
}

TEST(CudaProgram, WithoutASimulatorItSaysHowToGetOne) {
  const Finished run =
      run_program_at("/usr/bin/env", {"-u", "WARPVP_CUDA_SOCKET", CUDA_TEST_PROGRAM, "plain"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("warpvp cuda -- PROGRAM"));
}

// The limit ends a program that no longer calls, too, and the program with it; what it has done so far is
// kept.
TEST(CudaProgram, TheWallLimitEndsBoth) {
  const ScratchFolder scratch;
  const std::string script =
      scratch.file("forever.sh", "echo $$ > " + (scratch / "pid").string() +
                                     "\n" CUDA_TEST_PROGRAM " plain\nexec sleep 1000\n");
  const Finished run = run_cuda(scratch, {"/bin/sh", script}, {"--wall-limit", "3"});
  EXPECT_EQ(run.status, 124) << run.err;
  EXPECT_THAT(run.err, HasSubstr("s: the program itself was computing, or waiting"));
  const nlohmann::json result = read_json(scratch / "run" / "result.json");
  EXPECT_THAT(result["message"].get<std::string>(), HasSubstr("the wall-clock limit of 3 s"));
  EXPECT_GT(result["kernels"].size(), 0u);
  EXPECT_EQ(result["config"]["output"]["most_kernels"], 5000);
  pid_t pid = 0;
  std::ifstream(scratch / "pid") >> pid;
  ASSERT_GT(pid, 0);
  for (int i = 0; i < 100 && kill(pid, 0) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_NE(kill(pid, 0), 0) << "the program still runs";
}

// A message that is still coming, as copies of gigabytes are, does not keep what is known from being written.
TEST(CudaProgram, TheWallLimitEndsAMessageThatIsComing) {
  const ScratchFolder scratch;
  const std::string script =
      scratch.file("long.py",
                   "import os, socket, struct, time\n"
                   "s = socket.socket(socket.AF_UNIX); s.connect(os.environ['WARPVP_CUDA_SOCKET'])\n"
                   "s.send(struct.pack('<IIQ', 8, 0, 1 << 31))\n"
                   "while True:\n    s.sendall(bytes(1 << 24)); time.sleep(0.1)\n");
  const Finished run = run_cuda(scratch, {"python3", script}, {"--wall-limit", "1"});
  EXPECT_EQ(run.status, 124) << run.err;
  EXPECT_TRUE(read_json(scratch / "run" / "result.json").contains("processes"));
}

TEST(CudaProgram, TheWallLimitTellsOfAFasterWay) {
  const ScratchFolder scratch;
  const std::vector<std::string> lasting = {CUDA_SHARING_PROGRAM, "lasting"};
  const Finished cycle = run_cuda(scratch, lasting, {"--wall-limit", "1"});
  EXPECT_EQ(cycle.status, 124) << cycle.err;
  EXPECT_THAT(cycle.err, HasSubstr("warpvp: --functional computes the results alone"));
  const Finished functional = run_cuda(scratch, lasting, {"--wall-limit", "1", "--functional"});
  EXPECT_EQ(functional.status, 124) << functional.err;
  EXPECT_THAT(functional.err, Not(HasSubstr("--functional")));
}

// What connects and talks rubbish, or floods, or goes in the middle of a message, harms nobody.
TEST(CudaProgram, RubbishOnTheSocketHarmsNobody) {
  const ScratchFolder scratch;
  const std::string python =
      "import os, socket, struct, subprocess, sys\n"
      "path = os.environ['WARPVP_CUDA_SOCKET']\n"
      "def connect():\n"
      "    s = socket.socket(socket.AF_UNIX); s.connect(path); return s\n"
      "s = connect(); s.send(b'\\xff' * 40); s.close()\n"
      "s = connect(); s.send(struct.pack('<IIQ', 1, 0, 1 << 60)); s.recv(1) == b''; s.close()\n"
      "s = connect(); s.send(struct.pack('<IIQ', 8, 0, 100) + b'abc'); s.close()\n"
      "for call in range(0, 60):\n"
      "    for body in (b'', b'\\0' * 8, b'\\xff' * 64, os.urandom(48)):\n"
      "        s = connect(); s.send(struct.pack('<IIQ', call, 0, len(body)) + body)\n"
      "        assert len(s.recv(16)) == 16, call\n"
      "        s.close()\n"
      "sys.exit(subprocess.call(sys.argv[1:]))\n";
  const std::string script = scratch.file("rubbish.py", python);
  const Finished run = run_cuda(scratch, {"python3", script, CUDA_TEST_PROGRAM, "streams"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

}  // namespace
}  // namespace warpvp::test
