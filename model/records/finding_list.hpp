#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// All findings of an import, one line each, so that one run shows everything to correct. Keeps at
/// most `line_limit` lines; if there are more, the last line counts the rest.
class finding_list {
public:
  static constexpr std::size_t line_limit = 100;

  /// `place` says where, `finding` says what was found and what is allowed.
  void add(std::string_view place, std::string_view finding) {
    if (++count_ > line_limit) return;
    lines_.push_back(std::string{place}.append(": ").append(finding));
  }

  bool empty() const noexcept { return count_ == 0; }

  /// An `import_invalid` error with these lines.
  tl::unexpected<base::error> failure() const {
    std::string text;
    const bool shortened = count_ > line_limit;
    const auto shown = shortened ? line_limit - 1 : lines_.size();
    for (std::size_t i = 0; i < shown; ++i)
      text.append(i == 0 ? "" : "\n").append(lines_[i]);
    if (shortened) text.append("\nand ").append(std::to_string(count_ - shown)).append(" more");
    return base::fail(base::errc::import_invalid, std::move(text));
  }

private:
  std::size_t count_ = 0;
  std::vector<std::string> lines_;
};

} // namespace matchcloud::model
