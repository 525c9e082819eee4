#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "cli/interrupt.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::cli {

/// The output of a command. A regular file is first written to a temporary file in the same
/// directory and renamed when it is complete, so either the whole new file is there or the previous
/// one is unchanged. Stdout and special files (a pipe, /dev/null) are written directly. One thread.
class output_file {
public:
  /// Opens the output; `-` is stdout. Opening a named pipe waits for a reader, so call this while
  /// signals still end the process, and before a store is opened: see
  /// base/files/working_identity.hpp. Fails with `io_failed`.
  static base::expected<output_file> open(const std::string& file);

  output_file(output_file&& other) noexcept = default;
  output_file& operator=(output_file&&) = delete;
  /// Removes an incomplete file.
  ~output_file();

  /// Creates the temporary file, if one is needed, with the mode of the file that it replaces, or
  /// else the mode that the umask allows. From now on `until` ends blocking calls. Fails with
  /// `io_failed` or `store_full`.
  base::expected<void> begin(const interrupt& until);
  /// Writes bytes. Fails with `io_failed` or `store_full`, or with `cancelled` if a signal arrived
  /// while waiting for a reader, or, without a detail, if the reader of stdout has left.
  base::expected<void> write(std::string_view bytes);
  /// Whether `start_anew` may be called, that is, whether the output is a regular file.
  bool can_start_anew() const noexcept { return is_aside(); }
  /// Discards everything written so far. Requires `can_start_anew`.
  base::expected<void> start_anew();
  /// Completes the output: syncs the file and renames it to its name. Fails like `write`.
  base::expected<void> complete();

  /// Bytes passed to `write` since the beginning or the last `start_anew`.
  std::uint64_t bytes() const noexcept { return bytes_; }

private:
  output_file() = default;
  bool is_aside() const noexcept { return !path_.empty(); }
  base::expected<void> flush();
  base::expected<void> put(std::string_view bytes);
  tl::unexpected<base::error> failure(const char* operation, int code) const;

  /// The name used in errors.
  std::string name_;
  /// The path of a regular file, with symbolic links resolved; empty for other output.
  std::string path_;
  /// The path of the temporary file; empty before it is created and after it was renamed.
  std::string aside_;
  /// The permissions of the file that is replaced; empty if there is none.
  std::optional<mode_t> mode_;
  /// Holds no descriptor if the output is stdout.
  base::file_descriptor file_;
  int fd_ = -1;
  /// Whether the output is a pipe or the like, which is written in portions that cannot block once
  /// it is writable.
  bool waits_ = true;
  const interrupt* until_ = nullptr;
  std::string held_;
  std::uint64_t bytes_ = 0;
};

} // namespace matchcloud::cli
