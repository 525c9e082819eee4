#include "base/events/log_event.hpp"

#include <algorithm>
#include <atomic>

namespace matchcloud::base {

namespace {

/// A table of levels that any thread reads and writes. All levels start as `info`.
class level_table {
public:
  constexpr level_table() noexcept {
    for (auto& each : of_)
      each.store(log_level::info, std::memory_order_relaxed);
  }

  void set(const log_levels& levels) noexcept {
    for (std::size_t i = 0; i < of_.size(); ++i)
      of_[i].store(levels.of[i], std::memory_order_relaxed);
  }
  log_level get(log_subject which) const noexcept {
    return of_[static_cast<std::size_t>(which)].load(std::memory_order_relaxed);
  }
  log_levels get() const noexcept {
    log_levels made;
    for (std::size_t i = 0; i < of_.size(); ++i)
      made.of[i] = of_[i].load(std::memory_order_relaxed);
    return made;
  }

private:
  std::array<std::atomic<log_level>, log_subject_count> of_{};
};

// One of each for the process, because it has one log.
level_table configured; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
level_table in_force;   // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

template <class Enum, std::size_t Count>
std::optional<Enum> find(const std::array<std::string_view, Count>& names,
                         std::string_view name) noexcept {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

} // namespace

std::optional<log_level> find_log_level(std::string_view name) noexcept {
  return find<log_level>(log_level_names, name);
}

std::optional<log_subject> find_log_subject(std::string_view name) noexcept {
  return find<log_subject>(log_subject_names, name);
}

log_levels log_levels_of(log_level all) noexcept {
  log_levels made;
  made.of.fill(all);
  return made;
}

void configure_log_levels(const log_levels& levels) noexcept {
  configured.set(levels);
  in_force.set(levels);
}

void change_log_levels(const log_levels& levels) noexcept {
  in_force.set(levels);
}

log_levels configured_log_levels() noexcept {
  return configured.get();
}

log_levels log_levels_in_force() noexcept {
  return in_force.get();
}

bool is_logged(log_event which, log_level level) noexcept {
  return level >= in_force.get(row_of(which).subject);
}

} // namespace matchcloud::base
