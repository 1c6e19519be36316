// What is wrong with a job stream or a benchmark's file is said with its place and what is allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

const std::string kGood =
    "profiles: " WARPVP_SOURCE
    "/configs/profiles/lax.yaml\ndeadline_us: 100\njobs_per_second: {high: 1000, low: 10}\n"
    "steps: [launch: {kernel: gmm, ctas: 2}]\n";

struct Fault {
  const char* what;
  std::string benchmark, stream;  ///< stream: after `benchmarks: ..`
  std::vector<std::string> says;
};

std::string without(const std::string& key) {
  std::string text;
  std::size_t begin = 0;
  for (std::size_t end; (end = kGood.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (kGood.compare(begin, key.size(), key) != 0) text += kGood.substr(begin, end + 1 - begin);
  return text;
}

TEST(JobStreamInput, FaultsAreSaidWithPlaceAndRemedy) {
  const std::vector<Fault> faults = {
      {"no profiles",
       without("profiles"),
       "",
       {"bench.yaml:3:", "'steps.0.launch.threads' is missing, and the trace names no 'profiles'"}},
      {"no deadline", without("deadline_us"), "", {"'deadline_us' is missing", "0: none"}},
      {"no rates", without("jobs_per_second"), "", {"'jobs_per_second' is missing"}},
      {"no steps", without("steps"), "", {"'steps' is missing"}},
      {"unknown key",
       kGood + "lenght: 3\n",
       "",
       {"bench.yaml:5:1", "unknown key 'lenght'", "nearest: 'length'"}},
      {"negative deadline",
       without("deadline_us") + "deadline_us: -1\n",
       "",
       {"bench.yaml:4:14", "'deadline_us' is '-1', before the job's arrival", "from 0 (none) to 1000000000"}},
      {"deadline beyond all",
       without("deadline_us") + "deadline_us: 1e11\n",
       "",
       {"'deadline_us' is '1e11';"}},
      {"rate of zero",
       without("jobs_per_second") + "jobs_per_second: {high: 0}\n",
       "",
       {"'jobs_per_second.high' is 0", "at least 0.001"}},
      {"unknown kernel",
       without("steps") + "steps: [launch: {kernel: gmn, ctas: 2}]\n",
       "",
       {"bench.yaml:4:", "no profile of kernel 'gmn'", "did you mean 'gmm'"}},
      {"no kernel", without("steps") + "steps: []\n", "", {"'steps' launches no kernel", "at least one"}},
      {"a copy",
       without("steps") + "steps: [copy_to_device: {bytes: 8}]\n",
       "",
       {"'steps.0' is no kernel", "launch and repeat"}},
      {"length without a law",
       without("steps") + "steps: [{repeat: length, steps: [launch: {kernel: gmm, ctas: 2}]}]\n",
       "",
       {"'repeat: length' in a file without 'length'"}},
      {"most below least",
       kGood + "length: {mean: 4, least: 5, most: 4}\n",
       "",
       {"'length.most' is '4'", "from 5"}},
      {"two kinds of one name",
       without("steps") + "kinds:\n  - {name: a, steps: [launch: {kernel: gmm, ctas: 2}]}\n"
                          "  - {name: a, steps: [launch: {kernel: gmm, ctas: 2}]}\n",
       "",
       {"bench.yaml:6:", "'kinds.1.name' is 'a', as another kind's"}},
      {"steps and kinds", kGood + "kinds: []\n", "", {"both 'steps' and 'kinds'"}},
      {"unknown rate", kGood, ", rate: hihg", {"run.yaml:3:", "'hihg'", "nearest: 'high'", "high, low"}},
      {"rate too small", kGood, ", rate: 0", {"run.yaml:3:", "from 0.001"}},
      {"no jobs", kGood, ", jobs: 0", {"'workload.job_stream.jobs' is 0", "from 1"}},
      {"more kernels than fit beside those that the result lists",
       without("steps") + "steps: [{repeat: 100, steps: [launch: {kernel: gmm, ctas: 2}]}]\n",
       ", jobs: 50000",
       {"run.yaml:3:", "'workload.job_stream.jobs' is 50000, of more than 2863443 kernels",
        "1280 bytes of the host's memory each, the 20000 that the result lists 32768",
        "4 GiB, that is 2863443 kernels; or 3355443 with output.kernels: false"}},
      {"more kernels than the result may list",
       kGood,
       ", jobs: 200000}\noutput: {most_kernels: 200000",
       {"run.yaml:3:", "'workload.job_stream.jobs' is 200000, of more than 131072 kernels",
        "4 GiB, that is 131072 kernels"}},
      {"more kernels than fit the memory",
       without("steps") + "steps: [{repeat: 100, steps: [launch: {kernel: gmm, ctas: 2}]}]\n",
       ", jobs: 50000}\noutput: {kernels: false",
       {"run.yaml:3:", "'workload.job_stream.jobs' is 50000, of more than 3355443 kernels", "1280 bytes"}},
      {"unknown scheduler", kGood, ", scheduler: baymx", {"unknown host_scheduler", "did you mean 'baymax'"}},
      {"a period of zero",
       kGood,
       ", scheduler: lax_sw, scheduler_params: {period_us: 0}",
       {"period_us", "0.1"}},
      {"more queues than there are", kGood, ", queues: 200", {"'workload.job_stream.queues' is 200", "128"}},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.what);
    const ScratchFolder scratch;
    scratch.file("bench.yaml", fault.benchmark);
    const std::string file =
        scratch.file("run.yaml", "platform: lax_gpu\nworkload:\n  job_stream: {benchmarks: bench.yaml" +
                                     fault.stream + "}\n");
    const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
    EXPECT_EQ(run.status, 2) << run.out;
    for (const std::string& text : fault.says) EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST(JobStreamInput, AFileThatIsNotThereNamesThoseThatAre) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("run.yaml", "platform: lax_gpu\nworkload:\n  job_stream: {benchmarks: lstn}\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("lstm"));
}

TEST(JobStreamInput, ABenchmarkOfOtherSmsIsAFaultThatSaysWhatIsMissing) {
  const ScratchFolder scratch;
  scratch.file("bench.yaml", kGood);
  const std::string file =
      scratch.file("run.yaml", "platform: gk110\nworkload:\n  job_stream: {benchmarks: bench.yaml}\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("gmm"));
}

}  // namespace
}  // namespace warpvp::test
