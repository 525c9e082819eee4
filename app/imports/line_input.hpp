#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "cli/interrupt.hpp"
#include "model/records/line_splitter.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// The lines of a file or of stdin, read once from front to back. One thread.
class line_input {
public:
  /// Opens `file`; `-` is stdin. Fails with `io_failed`.
  static base::expected<line_input> open(const std::string& file);

  /// Calls `take` for each line until the end of the input, and `on_block` after each block. Fails
  /// with `io_failed` if the input cannot be read or a signal arrived, or with the error of `take`.
  base::expected<void> read(const cli::interrupt& until,
                            const std::function<base::expected<void>(model::input_line)>& take,
                            const std::function<void()>& on_block);

  std::uint64_t read_bytes() const noexcept { return read_bytes_; }
  /// Empty if unknown, as for a pipe.
  std::optional<std::uint64_t> size_bytes() const noexcept { return size_bytes_; }

private:
  line_input() = default;
  base::expected<std::size_t> read_block();

  /// Not open if the input is stdin.
  base::file_descriptor file_;
  int fd_ = 0;
  std::optional<std::uint64_t> size_bytes_;
  std::uint64_t read_bytes_ = 0;
  std::vector<char> block_;
  model::line_splitter splitter_;
};

/// The error of a command that a signal ended.
base::error interrupted();

} // namespace matchcloud::app
