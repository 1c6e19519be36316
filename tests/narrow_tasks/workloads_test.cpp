// Every workload with its shipped PTX on a device without timing, as kernels of a task and as kernels of
// many: what the device computes is what the CPU computes, whatever the shape of the tasks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sw/pagoda/task_batch.h"
#include "sw/pagoda/task_workload.h"
#include "tests/apps/parameters.h"
#include "tests/narrow_tasks/clocked_device.h"

namespace warpvp::pagoda {
namespace {

using ::testing::HasSubstr;
using Values = std::map<std::string, std::string>;

struct Case {
  friend void PrintTo(const Case& c, std::ostream* os) { *os << c.workload; }
  std::string workload;
  Values small;  ///< parameters that make it short
};

const std::vector<Case> kCases = {
    {"filter_bank", {{"width", "160"}, {"taps", "9"}, {"decimation", "3"}}},
    {"mandelbrot", {{"side", "24"}, {"iterations", "40"}}},
    {"beam_former", {{"width", "160"}, {"taps", "7"}}},
    {"convolution", {{"side", "24"}}},
    {"dct", {{"side", "24"}}},
    {"dct_shared", {{"side", "24"}}},
    {"matmul", {{"side", "32"}}},
    {"matmul_shared", {{"side", "32"}}},
    {"triple_des", {{"smallest", "128"}, {"largest", "1024"}}},
    {"sparse_lu", {{"side", "12"}}},
    {"mixed", {}},
};

std::unique_ptr<TaskWorkload> small_workload(const Case& c) {
  return Registry<TaskWorkload>::instance().make(test::choose(c.workload, c.small));
}

class ToRuntime : public TaskFeed {
 public:
  ToRuntime(TaskRuntime& runtime, const TaskWorkload& workload) : runtime_(runtime), workload_(workload) {}
  TaskId spawn(std::uint32_t task) override { return runtime_.spawn(workload_.task(task)); }
  bool check(TaskId id) override { return runtime_.check(id); }
  void wait(TaskId id) override { runtime_.wait(id); }

 private:
  TaskRuntime& runtime_;
  const TaskWorkload& workload_;
};

/// Runs the workload and returns what the comparison said. `folder` has the kernels.
apps::AppResult run(TaskWorkload& workload, const std::string& runtime_name, const Values& params,
                    const TaskPlan& plan, const std::string& folder = "sw/kernels/") {
  test::ClockedDevice device;
  workload.make(plan);
  const rt::ModuleHandle module = device.load_module(folder + workload.module(), 0);
  workload.place(device);
  const auto runtime = Registry<TaskRuntime>::instance().make(test::choose(runtime_name, params));
  runtime->open(device, module);
  ToRuntime feed(*runtime, workload);
  workload.run(feed);
  runtime->wait_all();
  runtime->close();
  const apps::AppResult result = verify(workload);
  workload.release(device);
  EXPECT_EQ(runtime->times().size(), workload.tasks());
  std::uint64_t launched = 0;  // every thread block of every task once
  for (const auto& launch : device.launches()) launched += launch.ctas;
  EXPECT_EQ(launched, std::uint64_t{workload.tasks()} * plan.blocks);
  EXPECT_EQ(device.allocations(), 0);
  return result;
}

class Workloads : public testing::TestWithParam<Case> {};

TEST_P(Workloads, AsKernelsOfATask) {
  for (const std::uint32_t threads : {32u, 128u, 224u}) {
    TaskPlan plan;
    plan.tasks = 7;
    plan.threads = threads;
    plan.seed = threads;
    if (GetParam().workload == "mixed") plan.tasks = 4;
    const auto workload = small_workload(GetParam());
    const apps::AppResult result = run(*workload, "hyperq", {{"streams", "3"}}, plan);
    EXPECT_TRUE(result.verified) << threads << " threads: " << result.message;
    EXPECT_LE(workload->tasks(), plan.tasks);
  }
}

TEST_P(Workloads, WithDrawnShapes) {
  TaskPlan plan;
  plan.tasks = GetParam().workload == "mixed" ? 4 : 12;
  plan.irregular = true;
  const apps::AppResult result = run(*small_workload(GetParam()), "hyperq", {}, plan);
  EXPECT_TRUE(result.verified) << result.message;
}

TEST_P(Workloads, AsTasksOfSeveralThreadBlocks) {
  TaskPlan plan;
  plan.tasks = 4;
  plan.threads = 64;
  plan.blocks = 3;
  if (GetParam().workload == "filter_bank" || GetParam().workload == "mixed") {
    EXPECT_THROW(small_workload(GetParam())->make(plan), InputError);
    return;
  }
  const apps::AppResult result = run(*small_workload(GetParam()), "hyperq", {}, plan);
  EXPECT_TRUE(result.verified) << result.message;
}

TEST_P(Workloads, Fused) {
  TaskPlan plan;
  plan.tasks = GetParam().workload == "mixed" ? 5 : 12;
  plan.irregular = true;
  if (GetParam().workload == "sparse_lu") {
    EXPECT_THROW(run(*small_workload(GetParam()), "fusion", {}, plan), InputError);
    return;
  }
  // The last batch is not full.
  const apps::AppResult result = run(*small_workload(GetParam()), "fusion", {{"batch", "5"}}, plan);
  EXPECT_TRUE(result.verified) << result.message;
}

INSTANTIATE_TEST_SUITE_P(All, Workloads, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.workload; });

TEST(Workloads, AllAreTried) {
  std::vector<std::string> tried;
  for (const Case& c : kCases) tried.push_back(c.workload);
  EXPECT_THAT(Registry<TaskWorkload>::instance().names(), testing::UnorderedElementsAreArray(tried));
}

TEST(Workloads, EveryParameterHasASentence) {
  for (const RegistryEntryInfo& entry : all_registry_entries()) {
    if (entry.kind != TaskWorkload::kKind && entry.kind != TaskRuntime::kKind && entry.name != "narrow_tasks")
      continue;
    test::TextFields visitor;
    entry.params(visitor);
    EXPECT_THAT(visitor.poor_docs(), testing::IsEmpty()) << entry.name;
    EXPECT_EQ(entry.doc.back(), '.') << entry.name;
  }
}

TEST(Workloads, AWrongKernelIsNoticedAndItsTaskNamed) {
  std::ifstream in("sw/kernels/pagoda/convolution.ptx");
  std::stringstream text;
  text << in.rdbuf();
  std::string changed = text.str();
  // Of the sums' scale: everything is half as bright.
  const std::string scale = ", 8;\n";
  const std::size_t at = changed.find("shr.s32");
  ASSERT_NE(at, std::string::npos);
  changed.replace(changed.find(scale, at), scale.size(), ", 9;\n");
  const std::string folder = testing::TempDir() + "wrong/";
  std::filesystem::create_directories(folder + "pagoda");
  std::ofstream(folder + "pagoda/convolution.ptx") << changed;
  TaskPlan plan;
  plan.tasks = 3;
  const apps::AppResult result = run(*small_workload(kCases[3]), "hyperq", {}, plan, folder);
  EXPECT_FALSE(result.verified);
  EXPECT_THAT(result.message, HasSubstr("task 0: out["));
}

TEST(Workloads, ShapesThatCannotBeAreRefused) {
  TaskPlan plan;
  plan.tasks = 2;
  plan.threads = 512;
  try {
    run(*small_workload(kCases[3]), "fusion", {}, plan);
    ADD_FAILURE() << "fusion took 512 threads into thread blocks of 256";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("task 'convolution' has 512 threads a thread block; allowed: at most block, 256"));
  }
}

TEST(TaskPlan, DrawsEveryShapeAndTheSameForTheSameSeed) {
  TaskPlan plan;
  plan.irregular = true;
  std::set<std::uint32_t> threads, sizes;
  for (std::uint32_t i = 0; i < 100; ++i) {
    threads.insert(plan.threads_of(i));
    sizes.insert(plan.size_of(i, 64, 16));
    EXPECT_EQ(plan.threads_of(i), TaskPlan(plan).threads_of(i));
  }
  EXPECT_THAT(threads, testing::ElementsAre(32, 64, 128, 256));
  EXPECT_THAT(sizes, testing::ElementsAre(32, 48, 64, 96));
  plan.irregular = false;
  EXPECT_EQ(plan.size_of(3, 72, 16), 64u);
  EXPECT_EQ(plan.size_of(3, 8, 16), 16u);
}

TEST(TaskBatch, JoinsCopiesOfNeighbours) {
  class Counting : public test::ClockedDevice {
   public:
    void copy_to_device_async(rt::DevicePtr, const void*, std::size_t bytes, rt::Stream) override {
      copied.push_back(bytes);
    }
    /// Two allocations side by side.
    std::optional<Allocation> allocation_at(rt::DevicePtr address) const override {
      return Allocation{address < 0x1200 ? rt::DevicePtr{0x1000} : 0x1200, 0x200, 0};
    }
    std::vector<std::size_t> copied;
  } device;
  const rt::DevicePtr memory = 0x1000;
  std::vector<std::uint8_t> host(1024);
  TaskBatch batch;
  TaskSpec task;
  for (const std::size_t first : {0u, 100u, 300u}) {  // the third is no neighbour of the second
    task.inputs = {{memory + first, host.data() + first, 100}};
    batch.add(task, 0);
  }
  batch.copy_inputs(device, rt::Stream{});
  EXPECT_THAT(device.copied, testing::ElementsAre(200, 100));
  EXPECT_EQ(batch.tasks(), 3u);
  batch.clear();
  device.copied.clear();
  for (const std::size_t first : {0u, 256u, 512u, 768u}) {
    task.inputs = {{memory + first, host.data() + first, 256}};
    batch.add(task, 0);
  }
  batch.copy_inputs(device, rt::Stream{});
  EXPECT_THAT(device.copied, testing::ElementsAre(512, 512));
}

}  // namespace
}  // namespace warpvp::pagoda
