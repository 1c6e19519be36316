// What is derived from a program is made once, whoever asks, and is of that program alone.

#include "ptx/derived.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace warpvp::ptx {
namespace {

TEST(Derived, IsMadeByTheFirstWhoAsksForThatName) {
  const Derived derived;
  const std::string& first = derived.get<std::string>("a", [] { return std::string("one"); });
  EXPECT_EQ(&derived.get<std::string>("a", [] { return std::string("two"); }), &first);
  EXPECT_EQ(first, "one");
  EXPECT_EQ(derived.get<int>("b", [] { return 3; }), 3);
}

TEST(Derived, OfACopyIsUnknown) {
  const Derived derived;
  derived.get<int>("a", [] { return 1; });
  Derived copy = derived;
  EXPECT_EQ(copy.get<int>("a", [] { return 2; }), 2);
  copy = Derived();
  EXPECT_EQ(copy.get<int>("a", [] { return 3; }), 3);
}

TEST(Derived, IsMadeOnceBySeveralThreads) {
  const Derived derived;
  std::atomic<int> made{0};
  std::vector<const int*> got(4);
  std::vector<std::thread> threads;
  for (const int*& mine : got)
    threads.emplace_back([&] { mine = &derived.get<int>("a", [&] { return ++made; }); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  for (const int* const one : got) EXPECT_EQ(one, got.front());
}

}  // namespace
}  // namespace warpvp::ptx
