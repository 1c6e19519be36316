#include "tests/config/sample_config.h"

namespace warpvp::sample {

namespace {

class First : public Chooser {
  std::uint32_t group_size() const override { return 1; }
};
WARPVP_REGISTER_POLICY(Chooser, First, "first", "Takes the first.");

struct GroupedParams {
  std::uint32_t group_size = 8;
  void fields(FieldVisitor& v) {
    v.field("group_size", group_size, "warps", "Warps of a group.", Constraint::range(1, 32));
  }
};
class Grouped : public Chooser {
 public:
  explicit Grouped(const GroupedParams& params) : params_(params) {}
  std::uint32_t group_size() const override { return params_.group_size; }

 private:
  GroupedParams params_;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(Chooser, Grouped, GroupedParams, "grouped", "Takes groups in turn.");

struct AppBase {
  static constexpr const char* kKind = "app";
  virtual ~AppBase() = default;
};
struct AddParams {
  std::uint64_t n = 1024;
  void fields(FieldVisitor& v) {
    v.field("n", n, "elements", "Length of the vectors.", Constraint::at_least(1));
  }
};
struct Add : AppBase {
  explicit Add(const AddParams&) {}
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(AppBase, Add, AddParams, "add", "Adds two vectors.");

}  // namespace

}  // namespace warpvp::sample
