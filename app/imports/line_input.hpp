#pragma once

#include "base/failure.hpp"
#include "base/files/file_descriptor.hpp"
#include "cli/interrupt.hpp"
#include "model/records/finding_list.hpp"
#include "model/records/line_splitter.hpp"
#include "model/records/record_line.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// Findings in the lines of an import, added in any order. Keeps the findings of the first lines
/// and counts the rest.
class line_findings {
public:
  void add(std::uint64_t line, model::line_finding finding) {
    ++count_;
    lines_.emplace(line, std::move(finding));
    if (lines_.size() > model::finding_list::line_limit) lines_.erase(std::prev(lines_.end()));
  }

  bool empty() const noexcept { return count_ == 0; }
  std::size_t count() const noexcept { return count_; }

  /// One line of text per kept finding, by line number; a last line counts the others.
  std::string text() const {
    std::string text;
    for (const auto& [line, finding] : lines_) {
      text.append(text.empty() ? "" : "\n").append("line ").append(std::to_string(line));
      text.append(": ").append(model::name_of(finding.code)).append(": ").append(finding.message);
    }
    if (count_ > lines_.size())
      text.append("\nand ").append(std::to_string(count_ - lines_.size())).append(" more");
    return text;
  }

private:
  std::size_t count_ = 0;
  std::multimap<std::uint64_t, model::line_finding> lines_;
};

/// The lines of a file or of stdin, read once from front to back. One thread.
class line_input {
public:
  /// Opens `file`; `-` is stdin. Fails with `io_failed`.
  static line_input open(const std::string& file);

  /// Calls `take` for each line until the end of the input, and `on_block` after each block. Fails
  /// with `io_failed` if the input cannot be read or a signal arrived, or with the error of `take`.
  void read(const cli::interrupt& until, const std::function<void(model::input_line)>& take,
            const std::function<void()>& on_block);

  std::uint64_t read_bytes() const noexcept { return read_bytes_; }
  /// Empty if unknown, as for a pipe.
  std::optional<std::uint64_t> size_bytes() const noexcept { return size_bytes_; }

private:
  line_input() = default;
  std::size_t read_block();

  /// Not open if the input is stdin.
  base::file_descriptor file_;
  int fd_ = 0;
  std::optional<std::uint64_t> size_bytes_;
  std::uint64_t read_bytes_ = 0;
  std::vector<char> block_;
  model::line_splitter splitter_;
};

/// The error of a command that a signal ended.
base::failure interrupted();

} // namespace matchcloud::app
