#include "store/backup/file_digest.hpp"

#include "base/files/io_failure.hpp"
#include "base/hexadecimal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

constexpr std::size_t piece_bytes = 256UL * 1024;

} // namespace

base::expected<std::optional<base::file_descriptor>> open_regular(const std::string& path) {
  base::file_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)};
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file && errno != ELOOP)
    return base::io_failure(path, "open the file", errno, base::errc::store_failed);
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode))
    return base::fail(base::errc::store_failed,
                      path + ": it is a link or not a regular file, so matchcloud did not make it; "
                             "put the file itself there, or remove it");
  return std::optional{std::move(file)};
}

base::expected<backup_file>
read_file(int file, const std::string& path, std::string name,
          const std::function<base::expected<void>(std::string_view piece)>& take) {
  backup_file facts{std::move(name), 0, {}};
  base::sha256_stream hash;
  std::vector<char> piece(piece_bytes);
  while (true) {
    const auto got =
        ::pread(file, piece.data(), piece.size(), static_cast<off_t>(facts.size_bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::io_failure(path, "read the file", errno, base::errc::store_failed);
    if (got == 0) break;
    const std::string_view bytes{piece.data(), static_cast<std::size_t>(got)};
    hash.add(bytes);
    facts.size_bytes += bytes.size();
    if (!take) continue;
    if (auto taken = take(bytes); !taken) return tl::unexpected(taken.error());
  }
  facts.sha256 = base::hexadecimal(hash.digest());
  return facts;
}

} // namespace matchcloud::store
