#pragma once

#include "model/records/finding_list.hpp"
#include "model/records/line_error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::app {

/// Findings in the lines of an import, added in any order. Keeps the findings of the first lines
/// and counts the rest.
class line_findings {
public:
  void add(std::uint64_t line, model::line_finding finding) {
    ++count_;
    if (lines_.size() == model::finding_list::line_limit && line >= lines_.back().line) return;
    if (lines_.size() == model::finding_list::line_limit) lines_.pop_back();
    const auto after = std::upper_bound(
        lines_.begin(), lines_.end(), line,
        [](std::uint64_t number, const model::line_error& each) { return number < each.line; });
    lines_.insert(after, {line, finding.code, std::move(finding.message)});
  }

  bool empty() const noexcept { return count_ == 0; }
  std::size_t count() const noexcept { return count_; }

  /// One line of text per kept finding, by line number; a last line counts the others.
  std::string text() const {
    std::string text;
    for (const auto& each : lines_) {
      text.append(text.empty() ? "" : "\n").append("line ").append(std::to_string(each.line));
      text.append(": ").append(model::name_of(each.code)).append(": ").append(each.message);
    }
    if (count_ > lines_.size())
      text.append("\nand ").append(std::to_string(count_ - lines_.size())).append(" more");
    return text;
  }

private:
  std::size_t count_ = 0;
  std::vector<model::line_error> lines_;
};

} // namespace matchcloud::app
