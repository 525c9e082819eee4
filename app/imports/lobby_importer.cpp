#include "app/imports/lobby_importer.hpp"

#include "base/files/io_failure.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <type_traits>

namespace matchcloud::app {

namespace {

static_assert(std::is_trivially_copyable_v<spooled_lobby>);

/// The number of lobbies by which the file grows.
constexpr std::size_t spool_step = 262'144;
constexpr std::size_t first_places = 65'536;

[[noreturn]] void fail_spool(std::string_view path, std::string_view operation, int code) {
  throw base::failure{base::io_failure(path, operation, code, base::errc::io_failed).value()};
}

} // namespace

lobby_spool lobby_spool::make(const std::string& folder) {
  lobby_spool made;
  made.path_ = folder + "/spool-XXXXXX";
  made.file_ = base::file_descriptor{::mkostemp(made.path_.data(), O_CLOEXEC)};
  if (!made.file_) fail_spool(made.path_, "create a temporary file", errno);
  ::unlink(made.path_.c_str());
  made.index_.assign(first_places, 0);
  return made;
}

lobby_spool::lobby_spool(lobby_spool&& other) noexcept
    : file_{std::move(other.file_)},
      path_{std::move(other.path_)},
      mapped_{std::exchange(other.mapped_, nullptr)},
      size_{std::exchange(other.size_, 0)},
      capacity_{std::exchange(other.capacity_, 0)},
      index_{std::move(other.index_)} {}

lobby_spool::~lobby_spool() {
  if (mapped_) ::munmap(mapped_, capacity_ * sizeof(spooled_lobby));
}

std::pair<spooled_lobby*, bool> lobby_spool::find_or_add(const spooled_lobby& added) {
  auto place = place_of(added.record.lobby_id);
  if (index_[place] != 0) return {&mapped_[index_[place] - 1], false};
  reserve_one();
  if ((size_ + 1) * 2 > index_.size()) {
    index_again(index_.size() * 2);
    place = place_of(added.record.lobby_id);
  }
  auto* const at = new (&mapped_[size_]) spooled_lobby{added}; // NOLINT: placed, not allocated
  index_[place] = static_cast<std::uint32_t>(++size_);
  return {at, true};
}

std::span<spooled_lobby> lobby_spool::all() {
  index_ = {};
  return {mapped_, size_};
}

void lobby_spool::reserve_one() {
  if (size_ < capacity_) return;
  if (size_ >= lobby_limit)
    throw base::failure{base::errc::import_invalid,
                        "more than " + std::to_string(lobby_limit) +
                            " lobbies; split the file and import its parts one after the other"};
  const auto wanted = capacity_ + spool_step;
  // Allocates the blocks now: writing to a mapping without space on the disk raises SIGBUS.
  const int code =
      ::posix_fallocate(file_.get(), static_cast<off_t>(capacity_ * sizeof(spooled_lobby)),
                        static_cast<off_t>(spool_step * sizeof(spooled_lobby)));
  if (code != 0) fail_spool(path_, "make room for lobbies", code);
  void* at = mapped_ ? ::mremap(mapped_, capacity_ * sizeof(spooled_lobby),
                                wanted * sizeof(spooled_lobby), MREMAP_MAYMOVE)
                     : ::mmap(nullptr, wanted * sizeof(spooled_lobby), PROT_READ | PROT_WRITE,
                              MAP_SHARED, file_.get(), 0);
  if (at == MAP_FAILED) fail_spool(path_, "map a temporary file", errno);
  mapped_ = static_cast<spooled_lobby*>(at);
  capacity_ = wanted;
}

void lobby_spool::index_again(std::size_t places) {
  index_ = {}; // freed before the larger one is allocated
  index_.assign(places, 0);
  for (std::size_t i = 0; i < size_; ++i)
    index_[place_of(mapped_[i].record.lobby_id)] = static_cast<std::uint32_t>(i + 1);
}

std::size_t lobby_spool::place_of(const model::uuid& id) const {
  const auto mask = index_.size() - 1;
  auto place = std::hash<model::uuid>{}(id)&mask;
  while (index_[place] != 0 && mapped_[index_[place] - 1].record.lobby_id != id)
    place = (place + 1) & mask;
  return place;
}

namespace {

/// The attributes of a lobby that must not be written.
constexpr auto must_stay_out = std::numeric_limits<std::uint32_t>::max();

} // namespace

lobby_importer::lobby_importer(store::lobby_sink& into, lobby_spool& spool,
                               const cli::interrupt& until, cli::progress_display& progress,
                               std::vector<std::string> ignored_members)
    : into_{&into},
      spool_{&spool},
      until_{&until},
      progress_{&progress},
      reader_{std::move(ignored_members)} {
  batch_.reserve(batch_limit);
}

void lobby_importer::check(line_input& in) {
  progress_->begin("lines checked", in.size_bytes());
  in.read(
      *until_, [this](model::input_line line) { return add(line); },
      [&] { progress_->show(summary_.lines, in.read_bytes()); });
  lobbies_ = spool_->all();
  check_stored();
  drop_left_out();
  progress_->clear();
}

void lobby_importer::add(model::input_line line) {
  ++summary_.lines;
  if (auto finding = reader_.read(line, lobby_)) {
    findings_.add(line.number, *std::move(finding));
    return;
  }
  const auto attributes = attributes_.number_of(lobby_.attributes);
  if (attributes_.used_bytes() > attributes_limit_bytes)
    throw base::failure{base::errc::import_invalid,
                        "line " + std::to_string(line.number) +
                            ": too many different combinations of namespace, region, tier, version "
                            "and game mode (" +
                            std::to_string(attributes_.size()) +
                            "); split the file and import its parts one after the other"};
  if (attributes == checks_.size()) check_attributes();
  // Reported now, not at the end: a refused line must not make later lines conflict with it.
  if (const auto& finding = checks_[attributes].finding) {
    findings_.add(line.number, *finding);
    return;
  }
  const auto [known, is_new] =
      spool_->find_or_add({{lobby_.lobby_id, lobby_.times, attributes}, line.number});
  if (!is_new) merge_repeated(*known, line.number);
}

void lobby_importer::merge_repeated(spooled_lobby& known, std::uint64_t line) {
  const auto& first = attributes_[known.record.attributes];
  if (first == lobby_.attributes) {
    known.record.times = model::merge(known.record.times, lobby_.times);
    return;
  }
  findings_.add(line,
                {model::line_errc::conflict, model::to_string(lobby_.lobby_id) + " is on line " +
                                                 std::to_string(known.line) + " already, and its " +
                                                 model::difference(lobby_.attributes, first)});
}

void lobby_importer::check_attributes() {
  model::lobby_attributes_table alone;
  alone.number_of(lobby_.attributes);
  checks_.push_back(std::move(base::value_of(into_->check_attributes(alone)).front()));
}

void lobby_importer::check_stored() {
  if (!base::value_of(into_->has_any())) return;
  store::order_for_checking(lobbies_);
  progress_->begin("lobbies checked", lobbies_.size());
  for (std::size_t first = 0; first < lobbies_.size(); first += batch_.size()) {
    if (until_->came()) throw interrupted();
    const auto found = base::value_of(into_->check(batch_at(first), attributes_));
    for (const auto& each : found.rejected)
      leave_out(lobbies_[first + each.index], each.finding);
    progress_->show(first, first);
  }
}

lobby_import_summary lobby_importer::write() {
  store::order_for_merging(lobbies_, checks_);
  progress_->begin("lobbies written", lobbies_.size());
  for (std::size_t first = 0; first < lobbies_.size();) {
    if (until_->came()) throw interrupted();
    const auto merged = base::value_of(into_->merge(batch_at(first), attributes_));
    summary_.accepted += merged.accepted;
    summary_.unchanged += merged.unchanged;
    for (const auto& each : merged.rejected)
      findings_.add(lobbies_[first + each.index].line, each.finding);
    first += merged.taken;
    progress_->show(first, first);
  }
  progress_->clear();
  return summary_;
}

void lobby_importer::leave_out(spooled_lobby& which, model::line_finding finding) {
  findings_.add(which.line, std::move(finding));
  which.record.attributes = must_stay_out;
}

void lobby_importer::drop_left_out() {
  const auto end = std::remove_if(lobbies_.begin(), lobbies_.end(), [](const spooled_lobby& each) {
    return each.record.attributes == must_stay_out;
  });
  lobbies_ = lobbies_.first(static_cast<std::size_t>(end - lobbies_.begin()));
}

std::span<const model::lobby_record> lobby_importer::batch_at(std::size_t first) {
  batch_.clear();
  for (const auto& each : lobbies_.subspan(first, std::min(batch_limit, lobbies_.size() - first)))
    batch_.push_back(each.record);
  return batch_;
}

} // namespace matchcloud::app
