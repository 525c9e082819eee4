#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "cli/interrupt.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::cli {

/// Where a command writes what it makes. A regular file is written aside, in the same directory,
/// and takes its name when it is complete: it is there whole, or what was there before still is.
/// Stdout and special files (a pipe, /dev/null) are written straight to. One thread.
class output_file {
public:
  /// `-` is stdout. Opens a special file, which for a named pipe waits for a reader: call it while
  /// signals still end the process. Fails with `io_failed`.
  static base::expected<output_file> open(const std::string& file);

  output_file(output_file&& other) noexcept = default;
  output_file& operator=(output_file&&) = delete;
  /// Takes away what is not complete.
  ~output_file();

  /// Creates the file aside, if there is to be one, with the mode of what it replaces, or else that
  /// which the umask leaves. From now on `until` ends what blocks. Fails with `io_failed` or
  /// `store_full`.
  base::expected<void> begin(const interrupt& until);
  /// Fails with `io_failed` or `store_full`, or with `cancelled` where a signal came while nobody
  /// took the bytes.
  base::expected<void> write(std::string_view bytes);
  /// Whether what was written can be taken back.
  bool can_start_anew() const noexcept { return is_aside(); }
  /// Forgets what was written. Only where that can be.
  base::expected<void> start_anew();
  /// The file is complete: syncs it and gives it its name. Fails as `write`.
  base::expected<void> complete();

  /// Bytes given to `write` since the beginning.
  std::uint64_t bytes() const noexcept { return bytes_; }

private:
  output_file() = default;
  bool is_aside() const noexcept { return !path_.empty(); }
  base::expected<void> flush();
  base::expected<void> put(std::string_view bytes);
  tl::unexpected<base::error> failure(const char* operation, int code) const;

  /// What an error calls it.
  std::string name_;
  /// Of a regular file, symbolic links resolved.
  std::string path_;
  /// The file aside; empty where there is none (yet, any more).
  std::string aside_;
  /// The permissions of the file that is replaced; nothing where there is none.
  std::optional<mode_t> mode_;
  /// Not open for stdout.
  base::file_descriptor file_;
  int fd_ = -1;
  /// A pipe or the like: written in portions that cannot block once it is writable.
  bool waits_ = true;
  const interrupt* until_ = nullptr;
  std::string held_;
  std::uint64_t bytes_ = 0;
};

} // namespace matchcloud::cli
