#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "cli/interrupt.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::cli {

inline constexpr mode_t owner_only = 0600;
/// The number of names to try for a temporary file: a killed process with the same id may have left
/// one.
inline constexpr int aside_limit = 1'000;

/// Writes all bytes to an open file, which errors call `name`. Fails with `io_failed` or
/// `store_full`.
base::expected<void> write_all(int file, const std::string& name, std::string_view bytes);

/// A new file for a secret: only its owner may read it, whatever the umask, and it never replaces a
/// file. It is created before the secret is made, so that a wrong name does not lose the secret.
/// One thread.
class private_file {
public:
  /// Creates the file with mode 0600. Fails with `io_failed` or `store_full`, also if the name is
  /// taken, even by a dangling link.
  static base::expected<private_file> create(const std::string& file);

  private_file(private_file&& other) noexcept = default;
  private_file& operator=(private_file&&) = delete;
  /// Removes the file unless everything was written.
  ~private_file();

  /// Writes the whole content and syncs it. Fails with `io_failed` or `store_full`.
  base::expected<void> write(std::string_view bytes);

private:
  private_file(std::string name, base::file_descriptor file)
      : name_{std::move(name)}, file_{std::move(file)} {}

  std::string name_;
  /// Open until everything is written.
  base::file_descriptor file_;
};

/// What to do if the new file's name is taken.
enum class taken_name : bool { refuse, replace };

/// A small new file that is first written to a temporary file in the same directory and renamed
/// when it is complete, so it exists with all of its content or not at all. Several can be prepared
/// before the first one is renamed. One thread.
class staged_file {
public:
  /// Writes the whole content to the temporary file and syncs it. Only the owner can read it until
  /// it is written; then it gets `mode`, whatever the umask. Fails with `io_failed` or
  /// `store_full`; with `refuse`, also if the name is taken, even by a dangling link.
  static base::expected<staged_file> write(const std::string& file, std::string_view bytes,
                                           mode_t mode, taken_name taken);

  staged_file(staged_file&& other) noexcept
      : name_{std::move(other.name_)},
        aside_{std::exchange(other.aside_, {})},
        taken_{other.taken_} {}
  staged_file& operator=(staged_file&&) = delete;
  /// Removes the temporary file if it was not renamed.
  ~staged_file();

  /// Renames the file and syncs the directory. If the name is taken, replaces that file (a link
  /// itself, not its target), or fails with `refuse`. Fails with `io_failed`, `store_full` or
  /// `store_failed`.
  base::expected<void> commit();

private:
  staged_file(std::string name, taken_name taken) : name_{std::move(name)}, taken_{taken} {}

  std::string name_;
  /// The temporary file's path; empty before it is created, after it is renamed and after a move.
  std::string aside_;
  taken_name taken_;
};

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
