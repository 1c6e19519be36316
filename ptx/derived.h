#pragma once
// What others have found out about a program, kept with it: made by the first who asks, shared by all.

#include <any>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace warpvp::ptx {

class Derived {
 public:
  Derived() = default;
  // Of another program, or one that is about to be changed: nothing is known of it.
  Derived(const Derived&) {}
  Derived& operator=(const Derived&) {
    kept_.clear();
    return *this;
  }

  /// What `make()` has yielded under that name, which says of what kind it is and what it depends on beside
  /// the program. It stays where it is as long as the program. May be called by several threads.
  template <class T, class Make>
  const T& get(const std::string& name, Make&& make) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::any& kept = kept_[name];
    if (!kept.has_value()) kept.emplace<T>(std::forward<Make>(make)());
    return *std::any_cast<T>(&kept);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::any> kept_;
};

}  // namespace warpvp::ptx
