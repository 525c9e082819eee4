#include "store/exports/export_folder.hpp"

#include "store/files/immutable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr open_refusals export_refusals{export_not_found, too_many_exports_open, "open an export"};

} // namespace

std::string exports_path(const std::string& data_dir) {
  return data_dir + "/" + exports_name;
}

std::string export_path(const std::string& data_dir, const model::uuid& export_id) {
  return exports_path(data_dir) + "/" + model::to_string(export_id);
}

base::expected<export_folder> export_folder::open(const std::string& data_dir,
                                                  const model::uuid& export_id) {
  base::file_descriptor folder{::open(export_path(data_dir, export_id).c_str(),
                                      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!folder) return export_refusals.of(errno);
  return export_folder{std::move(folder), export_id};
}

base::expected<export_about> export_folder::about() const {
  const auto opened = needed(export_about_name);
  if (!opened) return tl::unexpected(opened.error());
  if ((*opened)->size_bytes() > about_limit_bytes)
    return damaged_export("about.json: more than " + std::to_string(about_limit_bytes) + " bytes");
  std::string text((*opened)->size_bytes(), '\0');
  const auto got = (*opened)->read(text, 0);
  if (got < 0) return export_refusals.of(errno);
  text.resize(static_cast<std::size_t>(got));
  auto about = parse_about(text);
  if (!about) return damaged_export("about.json: " + about.error().detail);
  if (about->facts.export_id != export_id_)
    return damaged_export("about.json: expected the \"export_id\" that the folder has as its name");
  return about;
}

base::expected<export_folder::file_ptr> export_folder::csv(const export_about& about) const {
  auto opened = needed(export_csv_name);
  if (opened && (*opened)->size_bytes() != about.csv_bytes)
    return damaged_export(std::string{export_csv_name} + " has " +
                          std::to_string((*opened)->size_bytes()) + " bytes instead of " +
                          std::to_string(about.csv_bytes));
  return opened;
}

base::expected<export_folder::file_ptr> export_folder::gzip() const {
  auto opened = file(export_gzip_name);
  if (!opened && opened.error().code == base::errc::export_not_found) return file_ptr{};
  return opened;
}

std::uint64_t export_folder::size_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto* name : {export_csv_name, export_gzip_name}) {
    struct stat found {};
    if (::fstatat(folder_.get(), name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode))
      bytes += static_cast<std::uint64_t>(found.st_size);
  }
  return bytes;
}

base::expected<export_folder::file_ptr> export_folder::needed(const char* name) const {
  auto opened = file(name);
  if (!opened && opened.error().code == base::errc::export_not_found)
    return damaged_export(std::string{name} + " is missing");
  return opened;
}

base::expected<export_folder::file_ptr> export_folder::file(const char* name) const {
  return open_immutable(folder_.get(), name, export_refusals);
}

} // namespace matchcloud::store
