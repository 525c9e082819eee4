#include "model/latency/unkept_entries.hpp"

#include <algorithm>
#include <bit>

namespace matchcloud::model {

namespace {

bool is_shown(latency_cell cell, std::uint16_t reporters) noexcept {
  return cell.kind() != cell_kind::network || std::popcount(reporters) >= shown_reporters;
}

} // namespace

bool is_shown(const latency_entry& entry) noexcept {
  return is_shown(entry.cell, entry.reporters);
}

bool is_shown(const learned_entry& entry) noexcept {
  return is_shown(entry.cell, entry.reporters);
}

latency_entry* unkept_entries::take_place(const latency_entry& of) {
  const auto found = noted_.find({of.cell.key, of.region});
  if (found != noted_.end()) return &found->second;
  if (noted_.size() >= limit_) {
    if (limit_ != 0) ++left_out_;
    return nullptr;
  }
  latency_entry fresh{of.cell, of.minute, of.region, 0, 0, {}};
  return &noted_.emplace(key{of.cell.key, of.region}, fresh).first->second;
}

void unkept_entries::note(const latency_entry& entry, std::uint16_t reporters_before, double value,
                          double weight) {
  if (!is_shown(entry)) return;
  auto before = entry;
  before.reporters = reporters_before;
  if (!is_shown(before)) return note_whole(entry);
  auto* const noted = take_place(entry);
  if (noted == nullptr) return;
  noted->values.add(value, weight);
  noted->minute = std::max(noted->minute, entry.minute);
  noted->reporters = static_cast<std::uint16_t>(noted->reporters | entry.reporters);
}

void unkept_entries::note_contribution(latency_cell cell, std::uint16_t region,
                                       std::uint16_t contributed) {
  const auto found = noted_.find({cell.key, region});
  if (found == noted_.end()) return;
  auto& sum = found->second.contributed;
  sum = static_cast<std::uint16_t>(std::min(65'535, sum + contributed));
}

void unkept_entries::note_whole(const latency_entry& entry) {
  if (auto* const noted = take_place(entry); noted != nullptr) *noted = entry;
}

const latency_entry* unkept_entries::find(latency_cell cell, std::uint16_t region) const noexcept {
  const auto found = noted_.find({cell.key, region});
  return found == noted_.end() ? nullptr : &found->second;
}

std::vector<latency_entry> unkept_entries::take() {
  std::vector<latency_entry> taken;
  taken.reserve(noted_.size());
  for (const auto& [of, entry] : noted_)
    taken.push_back(entry);
  noted_.clear();
  return taken;
}

} // namespace matchcloud::model
