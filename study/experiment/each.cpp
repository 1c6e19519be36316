#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "platform/results/json_stats.h"
#include "study/experiment/experiment.h"

namespace warpvp {

Expression EachSpec::of(const std::string& text, std::size_t item) const {
  static const std::string kName = "each.";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !(std::isalnum(static_cast<unsigned char>(text[at - 1])) ||
                                     text[at - 1] == '_' || text[at - 1] == '.');
    if (begins && text.compare(at, kName.size(), kName) == 0) {
      out += fmt::format("{}.{}.", list, item);
      at += kName.size();
    } else {
      out += text[at++];
    }
  }
  return Expression::parse(out);
}

std::vector<std::size_t> EachSpec::rows_of(
    const nlohmann::ordered_json& items,
    const std::function<std::optional<double>(std::size_t)>& label_of) const {
  std::vector<std::size_t> fit, rows;
  if (!items.is_array()) return rows;
  const auto fits = [&](const nlohmann::ordered_json& item) {
    return std::all_of(only.begin(), only.end(), [&](const std::pair<std::string, std::string>& condition) {
      const nlohmann::ordered_json* member = find_value(item, condition.first);
      return member &&
             (member->is_string() ? member->get<std::string>() : member->dump()) == condition.second;
    });
  };
  const auto in_range = [&](std::size_t i) {
    if (!from && !until) return true;
    const std::optional<double> label = label_of(i);
    return label && (!from || *label >= *from) && (!until || *label <= *until);
  };
  for (std::size_t i = 0; i < items.size(); ++i)
    if (fits(items[i]) && in_range(i)) fit.push_back(i);
  const std::size_t count = most == 0 ? fit.size() : std::min<std::size_t>(fit.size(), most);
  for (std::size_t row = 0; row < count; ++row)
    rows.push_back(fit[count == fit.size() ? row : row * (fit.size() - 1) / (count - 1)]);
  return rows;
}

}  // namespace warpvp
