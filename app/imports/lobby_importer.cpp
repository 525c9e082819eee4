#include "app/imports/lobby_importer.hpp"

#include "store/lobby_order.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace matchcloud::app {

namespace {

/// The attributes of a lobby that must not be written.
constexpr auto left_out = std::numeric_limits<std::uint32_t>::max();

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

base::expected<void> lobby_importer::check(line_input& in) {
  progress_->begin("lines checked", in.size_bytes());
  auto read = in.read(
      *until_, [this](model::input_line line) { return add(line); },
      [&] { progress_->show(summary_.lines, in.read_bytes()); });
  if (!read) return read;
  lobbies_ = spool_->all();
  if (auto done = check_stored(); !done) return done;
  drop_left_out();
  progress_->clear();
  return {};
}

base::expected<void> lobby_importer::add(model::input_line line) {
  ++summary_.lines;
  if (auto finding = reader_.read(line, lobby_)) {
    findings_.add(line.number, *std::move(finding));
    return {};
  }
  const auto attributes = attributes_.number_of(lobby_.attributes);
  if (attributes_.used_bytes() > attributes_limit_bytes)
    return base::fail(base::errc::import_invalid,
                      "line " + std::to_string(line.number) +
                          ": too many different combinations of namespace, region, tier, version "
                          "and game mode (" +
                          std::to_string(attributes_.size()) +
                          "); split the file and import its parts one after the other");
  if (attributes == checks_.size())
    if (auto checked = check_attributes(); !checked) return checked;
  // Reported now, not at the end: a refused line must not make later lines conflict with it.
  if (const auto& finding = checks_[attributes].finding) {
    findings_.add(line.number, *finding);
    return {};
  }
  const auto found =
      spool_->find_or_add({{lobby_.lobby_id, lobby_.times, attributes}, line.number});
  if (!found) return tl::unexpected(found.error());
  return found->second ? base::expected<void>{} : merge_repeated(*found->first, line.number);
}

base::expected<void> lobby_importer::merge_repeated(spooled_lobby& known, std::uint64_t line) {
  const auto& first = attributes_[known.record.attributes];
  if (first == lobby_.attributes) {
    known.record.times = model::merge(known.record.times, lobby_.times);
    return {};
  }
  findings_.add(line,
                {model::line_errc::conflict, model::to_string(lobby_.lobby_id) + " is on line " +
                                                 std::to_string(known.line) + " already, and its " +
                                                 model::difference(lobby_.attributes, first)});
  return {};
}

base::expected<void> lobby_importer::check_attributes() {
  model::lobby_attributes_table alone;
  alone.number_of(lobby_.attributes);
  auto found = into_->check_attributes(alone);
  if (!found) return tl::unexpected(found.error());
  checks_.push_back(std::move(found->front()));
  return {};
}

base::expected<void> lobby_importer::check_stored() {
  const auto any = into_->has_any();
  if (!any) return tl::unexpected(any.error());
  if (!*any) return {};
  store::order_for_checking(lobbies_);
  progress_->begin("lobbies checked", lobbies_.size());
  for (std::size_t first = 0; first < lobbies_.size(); first += batch_.size()) {
    if (until_->came()) return tl::unexpected(interrupted());
    const auto found = into_->check(batch_at(first), attributes_);
    if (!found) return tl::unexpected(found.error());
    for (const auto& each : found->rejected)
      leave_out(lobbies_[first + each.index], each.finding);
    progress_->show(first, first);
  }
  return {};
}

base::expected<lobby_import_summary> lobby_importer::write() {
  store::order_for_merging(lobbies_, checks_);
  progress_->begin("lobbies written", lobbies_.size());
  for (std::size_t first = 0; first < lobbies_.size();) {
    if (until_->came()) return tl::unexpected(interrupted());
    const auto merged = into_->merge(batch_at(first), attributes_);
    if (!merged) return tl::unexpected(merged.error());
    summary_.accepted += merged->accepted;
    summary_.unchanged += merged->unchanged;
    for (const auto& each : merged->rejected)
      findings_.add(lobbies_[first + each.index].line, each.finding);
    first += merged->taken;
    progress_->show(first, first);
  }
  progress_->clear();
  return summary_;
}

void lobby_importer::leave_out(spooled_lobby& which, model::line_finding finding) {
  findings_.add(which.line, std::move(finding));
  which.record.attributes = left_out;
}

void lobby_importer::drop_left_out() {
  const auto end = std::remove_if(lobbies_.begin(), lobbies_.end(), [](const spooled_lobby& each) {
    return each.record.attributes == left_out;
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
