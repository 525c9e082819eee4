#include "store/backup/whole_backup.hpp"

#include "base/crypto/sha256.hpp"
#include "base/files/working_identity.hpp"
#include "base/hexadecimal.hpp"
#include "store/files/data_directory.hpp"
#include "store/sqlite/sqlite.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

constexpr std::size_t piece_bytes = 256UL * 1024;

base::failure not_whole(const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder + "/" + unfinished_manifest_name, ignored))
    return {base::errc::import_invalid,
            "{}: the backup into this folder was not completed, so it is not whole; remove the "
            "folder and make another backup",
            folder};
  return {base::errc::import_invalid,
          "{}: there is no {}, so this is not a whole backup; use the folder that `matchcloud "
          "backup` wrote",
          folder, manifest_name};
}

} // namespace

std::optional<regular_file> regular_file::open(const std::string& path) {
  base::file_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)};
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file && errno != ELOOP) throw file_failure(path, "open the file");
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode))
    throw base::failure{base::errc::store_failed,
                        "{}: it is a link or not a regular file, so matchcloud did not make it; "
                        "put the file itself there, or remove it",
                        path};
  return regular_file{path, std::move(file), static_cast<std::uint64_t>(found.st_size)};
}

std::string regular_file::read(const copy_watch& watch, const take_bytes& take) const {
  base::sha256_stream hash;
  std::vector<char> piece(piece_bytes);
  for (std::uint64_t at = 0; at < size_bytes;) {
    watch.go_on();
    const auto wanted = std::min<std::uint64_t>(piece.size(), size_bytes - at);
    const auto got = ::pread(file.get(), piece.data(), wanted, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_failure(path, "read the file");
    if (got == 0)
      throw base::failure{base::errc::store_failed,
                          "{}: another process shortened it while it was read", path};
    const std::string_view bytes{piece.data(), static_cast<std::size_t>(got)};
    hash.add(bytes);
    if (take) take(bytes);
    at += bytes.size();
  }
  return base::hexadecimal(hash.digest());
}

std::optional<std::string> read_object(object_store& in, const object_name& name,
                                       const copy_watch& watch, const take_bytes& take) {
  base::sha256_stream hash;
  base::expected<void> taken; // the store does not expect exceptions
  const auto found = in.read(name, std::nullopt, [&](std::string_view piece) {
    hash.add(piece);
    taken = base::attempt([&] {
      watch.go_on();
      if (take) take(piece);
    });
    return taken.has_value();
  });
  if (!taken) throw base::failure{taken.error()};
  if (!found) throw base::failure{found.error()};
  if (!*found) return std::nullopt;
  return base::hexadecimal(hash.digest());
}

std::optional<finding> whole_backup::read(const backup_file& file, const copy_watch& watch,
                                          const take_bytes& take) const {
  const auto opened = [&] {
    const base::as_invoker self;
    return regular_file::open(path_of(file.name));
  }();
  const auto wrong = [&](std::string detail) {
    return finding{finding::kind::damaged, file.name, std::move(detail)};
  };
  if (!opened) return finding{finding::kind::missing, file.name, "it is in the manifest"};
  if (opened->size_bytes != file.size_bytes)
    return wrong(fmt::format("it has {} bytes instead of {}", opened->size_bytes, file.size_bytes));
  if (opened->read(watch, take) != file.sha256)
    return wrong("its bytes do not have the digest in the manifest");
  return std::nullopt;
}

whole_backup open_backup(const std::string& folder, const copy_watch& watch) {
  const auto path = folder + "/" + manifest_name;
  const auto file = regular_file::open(path);
  if (!file) throw not_whole(folder);
  if (file->size_bytes > manifest_limit_bytes)
    throw base::failure{base::errc::import_invalid, "{}: it is too large for a manifest", path};
  std::string text;
  const auto sha256 = file->read(watch, [&](std::string_view piece) { text.append(piece); });
  auto manifest = parse_manifest(text);
  if (!manifest) throw base::failure{manifest.error().code, folder + "/" + manifest.error().detail};
  if (manifest->schema > sqlite_schema().newest())
    throw base::failure{base::errc::store_newer,
                        "{}: its database has the schema {}, of matchcloud {}, and this program "
                        "knows up to {}; use a newer matchcloud",
                        folder,
                        manifest->schema,
                        manifest->program,
                        sqlite_schema().newest()};
  return {folder, *std::move(manifest), sha256};
}

sqlite_connection open_backup_database(const std::string& folder) {
  const base::as_invoker self;
  auto db = sqlite_connection::open_unchanging(folder + "/" + database_file_name);
  // Checking an index jumps across the whole file for each row.
  static const auto cache = fmt::format("PRAGMA cache_size = -{}", bulk_cache_bytes / 1024);
  db.execute(cache.c_str(), "configure the connection");
  return db;
}

void remove_database(const std::string& folder) {
  for (const auto* end : {"", "-wal", "-shm", "-journal"})
    ::unlink((folder + "/" + database_file_name + end).c_str());
}

} // namespace matchcloud::store
