// A front end that renames rows: of each block of `banks` rows the b-th is turned by b * `shift`, so that
// rows which lie `banks` apart, and in one bank, come to lie in different ones. Values stay where they are;
// what changes is when operands are there.
#include <cstdint>

#include "base/registry.h"
#include "modules/sm/frontend/separate_front_end.h"
#include "modules/sm/issue/row_map.h"

namespace {

struct SkewedRowsParams {
  std::uint32_t banks = 4, shift = 1;
  void fields(warpvp::FieldVisitor& v) {
    v.field("banks", banks, "rows", "Rows of a block, as many as the register file has banks.",
            warpvp::Constraint::range(1, 64));
    v.field("shift", shift, "rows",
            "By how much a block is turned more than the one before it; 0: not at all.",
            warpvp::Constraint::range(0, 63));
  }
};

class SkewedRows final : public warpvp::SeparateFrontEndOf<SkewedRows>, private warpvp::RowMap {
 public:
  SkewedRows(const SkewedRowsParams& params, const warpvp::StageContext& context)
      : SeparateFrontEndOf(context), params_(params) {}

  void warp_started(unsigned warp, const warpvp::WarpInfo& info, const warpvp::ptx::Program& program,
                    const warpvp::AccessOwner& owner, warpvp::FetchCounters& counters) override {
    rows_[warp] = program.rows_reserved();
    SeparateFrontEndOf::warp_started(warp, info, program, owner, counters);
  }
  const warpvp::RowMap* row_map() const override { return this; }

 private:
  void rename(unsigned warp, std::uint32_t, const warpvp::ptx::Inst& inst,
              warpvp::RowNames& names) const override {
    for (unsigned i = 0; i < inst.read_rows; ++i) names.reads[i] = skewed(names.reads[i].row(), rows_[warp]);
    for (unsigned i = 0; i < inst.written_rows; ++i)
      names.writes[i] = skewed(names.writes[i].row(), rows_[warp]);
  }
  /// Blocks that the warp's rows do not fill stay as they are.
  warpvp::RowName skewed(std::uint32_t row, std::uint32_t rows) const {
    const std::uint32_t block = row / params_.banks, first = block * params_.banks;
    if (first + params_.banks > rows) return warpvp::RowName::own(row);
    return warpvp::RowName::own(first + (row - first + block * params_.shift) % params_.banks);
  }

  const SkewedRowsParams params_;
  std::uint32_t rows_[64] = {};  // by warp
};

class SkewedRowsType : public warpvp::FrontEndType {
 public:
  explicit SkewedRowsType(const SkewedRowsParams& params) : params_(params) {}
  std::unique_ptr<warpvp::FrontEnd> build(const warpvp::StageContext& context) const override {
    return std::make_unique<SkewedRows>(params_, context);
  }

 private:
  const SkewedRowsParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(warpvp::FrontEndType, SkewedRowsType, SkewedRowsParams, "skewed_rows",
                                   "As `separate`, with the rows of each warp skewed over the banks.");

}  // namespace
