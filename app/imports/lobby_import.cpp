#include "app/imports/lobby_import.hpp"

#include "store/lobby_order.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace matchcloud::app {

namespace {

/// The kind of a lobby that is not to be written.
constexpr auto left_out = std::numeric_limits<std::uint32_t>::max();

} // namespace

lobby_import::lobby_import(store::lobby_sink& into, lobby_spool& spool, const cli::interrupt& until,
                           cli::progress_display& progress)
    : into_{&into}, spool_{&spool}, until_{&until}, progress_{&progress} {
  batch_.reserve(batch_limit);
}

base::expected<void> lobby_import::check(line_input& in) {
  progress_->begin("lines checked", in.size_bytes());
  auto read = in.read(
      *until_, [this](model::input_line line) { return take(line); },
      [&] { progress_->show(summary_.lines, in.read_bytes()); });
  if (!read) return read;
  lobbies_ = spool_->all();
  if (auto done = check_stored(); !done) return done;
  drop_left_out();
  progress_->clear();
  return {};
}

base::expected<void> lobby_import::take(model::input_line line) {
  ++summary_.lines;
  if (auto problem = reader_.read(line, lobby_)) {
    problems_.add(line.number, *std::move(problem));
    return {};
  }
  const auto kind = kinds_.number_of(lobby_.kind);
  if (kinds_.used_bytes() > kinds_limit_bytes)
    return base::fail(base::errc::import_invalid,
                      "line " + std::to_string(line.number) +
                          ": too many different combinations of namespace, region, tier, version "
                          "and game mode (" +
                          std::to_string(kinds_.size()) +
                          "); split the file and import its parts one after the other");
  if (kind == findings_.size())
    if (auto checked = check_kind(); !checked) return checked;
  // Now, not at the end: a line that cannot be taken must not make others conflict with it.
  if (const auto& problem = findings_[kind].problem) {
    problems_.add(line.number, *problem);
    return {};
  }
  const auto found = spool_->find_or_add({{lobby_.lobby_id, lobby_.times, kind}, line.number});
  if (!found) return tl::unexpected(found.error());
  return found->second ? base::expected<void>{} : merge_repeated(*found->first, line.number);
}

base::expected<void> lobby_import::merge_repeated(spooled_lobby& known, std::uint64_t line) {
  const auto& first = kinds_[known.record.kind];
  if (first == lobby_.kind) {
    known.record.times = model::merge(known.record.times, lobby_.times);
    return {};
  }
  problems_.add(line,
                {model::line_errc::conflict, model::to_string(lobby_.lobby_id) + " is on line " +
                                                 std::to_string(known.line) + " already, and its " +
                                                 model::difference(lobby_.kind, first)});
  return {};
}

base::expected<void> lobby_import::check_kind() {
  model::lobby_kind_table alone;
  alone.number_of(lobby_.kind);
  auto found = into_->check_kinds(alone);
  if (!found) return tl::unexpected(found.error());
  findings_.push_back(std::move(found->front()));
  return {};
}

base::expected<void> lobby_import::check_stored() {
  const auto any = into_->has_any();
  if (!any) return tl::unexpected(any.error());
  if (!*any) return {};
  store::order_for_checking(lobbies_);
  progress_->begin("lobbies checked", lobbies_.size());
  for (std::size_t first = 0; first < lobbies_.size(); first += batch_.size()) {
    if (until_->came()) return tl::unexpected(interrupted());
    const auto found = into_->check(batch_at(first), kinds_);
    if (!found) return tl::unexpected(found.error());
    for (const auto& each : found->rejected)
      leave_out(lobbies_[first + each.index], each.problem);
    progress_->show(first, first);
  }
  return {};
}

base::expected<lobby_import_summary> lobby_import::write() {
  store::order_for_merging(lobbies_, findings_);
  progress_->begin("lobbies written", lobbies_.size());
  for (std::size_t first = 0; first < lobbies_.size();) {
    if (until_->came()) return tl::unexpected(interrupted());
    const auto merged = into_->merge(batch_at(first), kinds_);
    if (!merged) return tl::unexpected(merged.error());
    summary_.accepted += merged->accepted;
    summary_.unchanged += merged->unchanged;
    for (const auto& each : merged->rejected)
      problems_.add(lobbies_[first + each.index].line, each.problem);
    first += merged->taken;
    progress_->show(first, first);
  }
  progress_->clear();
  return summary_;
}

void lobby_import::leave_out(spooled_lobby& which, model::line_problem problem) {
  problems_.add(which.line, std::move(problem));
  which.record.kind = left_out;
}

void lobby_import::drop_left_out() {
  const auto end = std::remove_if(lobbies_.begin(), lobbies_.end(), [](const spooled_lobby& each) {
    return each.record.kind == left_out;
  });
  lobbies_ = lobbies_.first(static_cast<std::size_t>(end - lobbies_.begin()));
}

std::span<const model::lobby_record> lobby_import::batch_at(std::size_t first) {
  batch_.clear();
  for (const auto& each : lobbies_.subspan(first, std::min(batch_limit, lobbies_.size() - first)))
    batch_.push_back(each.record);
  return batch_;
}

} // namespace matchcloud::app
