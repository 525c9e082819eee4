#pragma once

#include "base/expected.hpp"
#include "load/mix.hpp"
#include "load/reply_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace matchcloud::load {

/// Judges whether a body is what the operation promises, not only whether it exists. Recognizes a
/// body already found good by a 64-bit hash of its bytes, so that repeated replies cost little. One
/// thread.
class reply_check {
public:
  /// The limit on remembered good bodies; further ones are judged each time.
  static constexpr std::size_t known_limit = 100'000;

  explicit reply_check(const mix_part& part) : part_{&part} {}
  /// Judges by what the form expects.
  reply_check(const mix_part& part, const request_form* form) : part_{&part}, form_{form} {}

  /// Judges a reply that has the expected status. Returns what is wrong with it, or nothing
  /// (empty).
  std::string judge(const reply& that);

  /// The body without its encoding; nothing if it is damaged or too large.
  static std::optional<std::string> decoded(const reply& that);

private:
  std::string judge_body(std::string_view text) const;

  const mix_part* part_;
  /// Null: the part's operation decides what is good.
  const request_form* form_ = nullptr;
  /// The last good body, because most replies repeat it.
  std::string last_;
  std::unordered_set<std::uint64_t> known_;
};

} // namespace matchcloud::load
