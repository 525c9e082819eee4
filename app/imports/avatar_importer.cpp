#include "app/imports/avatar_importer.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/working_identity.hpp"
#include "model/avatars/image_content.hpp"
#include "model/text/unicode.hpp"
#include "store/media/images.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace matchcloud::app {

namespace {

tl::unexpected<base::error> unreadable(int code) {
  return base::fail(base::errc::image_invalid,
                    "cannot be read: " + std::generic_category().message(code));
}

/// Threads that store images: they wait for the disk or the network most of the time.
constexpr std::size_t writers = 8;

/// The beginning of a finding about a file. Escapes the name, which may contain any byte but NUL.
std::string named(const std::string& file) {
  return "file \"" + model::printable_excerpt(file, 256) + "\": ";
}

/// The first bytes of a regular file, at most one more than an image may have.
base::expected<std::string> read_beginning(const std::string& path) {
  const base::as_invoker self;
  // Non-blocking, so that opening a pipe does not wait for a writer.
  const base::file_descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (!file) return unreadable(errno);
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return unreadable(errno);
  if (!S_ISREG(found.st_mode))
    return base::fail(base::errc::image_invalid, "is not a regular file");
  auto bytes = base::read_bounded(file.get(), model::image_limit_bytes);
  if (!bytes) return unreadable(errno);
  return *std::move(bytes);
}

/// The image at the beginning of a file.
struct image_file {
  std::string bytes;
  model::image_name name;
  /// Whether something follows the image in its file.
  bool is_cut = false;
};

base::expected<image_file> read_image(const std::string& path) {
  return base::attempt([&] {
    auto bytes = base::value_of(read_beginning(path));
    const auto found = base::value_of(model::inspect_image(bytes));
    const bool is_cut = found.size_bytes < bytes.size();
    bytes.resize(found.size_bytes);
    const auto name = model::name_image(bytes, found.type);
    return image_file{std::move(bytes), name, is_cut};
  });
}

} // namespace

avatar_importer::avatar_importer(store::avatar_store& into, std::string folder,
                                 const cli::interrupt& until, cli::progress_display& progress,
                                 std::vector<std::string> ignored_members)
    : into_{&into},
      folder_{std::move(folder)},
      until_{&until},
      progress_{&progress},
      reader_{std::move(ignored_members)} {}

void avatar_importer::check(line_input& in) {
  progress_->begin("lines checked", in.size_bytes());
  in.read(
      *until_, [this](model::input_line line) { return add(line); },
      [&] { progress_->show(lines_.size(), in.read_bytes()); });
  check_batch();
  progress_->clear();
}

void avatar_importer::add(const model::input_line& line) {
  auto read = reader_.read(line);
  if (auto* finding = std::get_if<model::line_finding>(&read)) {
    findings_.add(line.number, std::move(*finding));
    return;
  }
  auto& good = std::get<model::avatar_line>(read);
  const auto [first, is_new] = lines_.try_emplace(good.avatar.upload_id, line.number);
  if (!is_new) {
    findings_.add(line.number,
                  {model::line_errc::conflict, "upload_id " + to_string(good.avatar.upload_id) +
                                                   " is on line " + std::to_string(first->second) +
                                                   " already; use each upload_id only once"});
    return;
  }
  if (lines_.size() > line_limit)
    throw base::failure{base::errc::import_invalid,
                        "more than " + std::to_string(line_limit) +
                            " avatars; split the file and import its parts one after the other"};
  bool is_cut = false;
  if (good.avatar.complete) {
    const auto image = read_image(folder_ + good.file);
    if (!image) {
      findings_.add(line.number,
                    {model::line_errc::invalid, named(good.file) + image.error().detail});
      return;
    }
    good.avatar.image = image->name;
    is_cut = image->is_cut;
  }
  batch_.push_back({line.number, std::move(good.avatar), std::move(good.file), is_cut});
  if (batch_.size() >= batch_limit) check_batch();
}

void avatar_importer::check_batch() {
  const auto outcomes = base::value_of(into_->check(avatars_of(batch_)));
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (!refused(batch_[i], outcomes[i])) entries_.push_back(std::move(batch_[i]));
  }
  batch_.clear();
}

std::vector<model::avatar> avatar_importer::avatars_of(std::span<const entry> entries) {
  std::vector<model::avatar> avatars;
  avatars.reserve(entries.size());
  for (const auto& each : entries)
    avatars.push_back(each.avatar);
  return avatars;
}

bool avatar_importer::refused(const entry& which, store::put_outcome outcome) {
  if (outcome == store::put_outcome::game_unknown) {
    findings_.add(which.line, {model::line_errc::game_unknown,
                               "game_id: no game has the id " + to_string(which.avatar.game_id) +
                                   "; `matchcloud catalog list games` lists those that exist, and "
                                   "`matchcloud import catalog` adds others"});
    return true;
  }
  if (outcome == store::put_outcome::of_other_game) {
    findings_.add(which.line,
                  {model::line_errc::conflict, "upload_id " + to_string(which.avatar.upload_id) +
                                                   " belongs to an avatar of another game"});
    return true;
  }
  return false;
}

avatar_import_summary avatar_importer::write(store::object_store& images) {
  progress_->begin("avatars written", entries_.size());
  for (std::size_t begin = 0; begin < entries_.size(); begin += batch_limit) {
    if (until_->came()) throw interrupted();
    const auto count = std::min(batch_limit, entries_.size() - begin);
    write_batch({entries_.data() + begin, count}, images);
    progress_->show(begin + count, begin + count);
  }
  progress_->clear();
  return summary_;
}

void avatar_importer::write_batch(std::span<const entry> entries, store::object_store& images) {
  // Rows refer to images, so the images must be durable first.
  const auto good = put_images(entries, images);
  const auto outcomes = base::value_of(into_->put(avatars_of(good)));
  for (std::size_t i = 0; i < good.size(); ++i) {
    const auto outcome = outcomes[i];
    if (refused(good[i], outcome)) continue; // changed by another process since the check
    if (outcome == store::put_outcome::added) ++summary_.added;
    if (outcome == store::put_outcome::changed) ++summary_.changed;
    if (outcome == store::put_outcome::unchanged) ++summary_.unchanged;
    if (good[i].is_cut) ++summary_.images_cut;
  }
}

std::vector<avatar_importer::entry> avatar_importer::put_images(std::span<const entry> entries,
                                                                store::object_store& images) {
  std::vector<base::expected<bool>> outcomes(entries.size(), true);
  std::atomic<std::size_t> next{0};
  // A failing store may take long to return an error, for each image.
  std::atomic<bool> has_failed{false};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(writers, entries.size()); ++i)
      threads.emplace_back([&] {
        for (auto at = next++; at < entries.size() && !has_failed; at = next++) {
          outcomes[at] = put_image(entries[at], images);
          if (!outcomes[at]) has_failed = true;
        }
      });
  }
  std::vector<entry> good;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& each = entries[i];
    if (base::value_of(std::move(outcomes[i])))
      good.push_back(each);
    else
      findings_.add(each.line,
                    {model::line_errc::invalid,
                     named(each.file) + "changed during the import; run the import again"});
  }
  return good;
}

base::expected<bool> avatar_importer::put_image(const entry& from,
                                                store::object_store& images) const {
  if (!from.avatar.image) return true;
  const auto image = read_image(folder_ + from.file);
  if (!image || image->name != *from.avatar.image) return false;
  return store::put_image(images, {from.avatar.upload_id, image->name}, image->bytes).map([] {
    return true;
  });
}

} // namespace matchcloud::app
