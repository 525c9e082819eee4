#pragma once

#include "base/expected.hpp"
#include "http/wire/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace matchcloud::load {

/// The operation that mix files and `--operation` call so: `regions`, `groups.validate`, ...
std::optional<http::operation> find_operation(std::string_view load_name) noexcept;
/// Of an operation that load can be made of.
inline std::string_view name_of(http::operation what) noexcept {
  return http::row_of(what).load_name;
}

/// So many different ones are made from the seed, or the lines or texts that are given.
using variants = std::variant<std::size_t, std::vector<std::string>>;

/// One part of a mix.
struct mix_part {
  http::operation what = http::operation::list_regions;
  /// Its share of the requests, to the sum of all weights.
  double weight = 1;
  /// The game in the path; the demo's by default.
  std::string game = "00000000-0000-4000-8000-000000000001";
  /// Who asks: addresses for X-Forwarded-For. Empty: whoever connects.
  std::optional<variants> clients;
  /// What is validated: JSON texts.
  variants bodies = std::size_t{100};
  /// Of exports: spans of this length, which begin anywhere in [from, to - length].
  /// Milliseconds since 1970; the demo's month by default.
  std::uint64_t from_ms = 1'767'225'600'000;
  std::uint64_t to_ms = 1'769'904'000'000;
  std::uint64_t length_ms = 86'400'000;
  /// The status that a reply must have.
  int status = 200;
  /// How many findings each validation must have; nothing: any number.
  std::optional<std::size_t> findings;
};

/// Different clients or bodies of one part at most.
inline constexpr std::size_t variants_limit = 1'000'000;

/// How many different requests a part has.
std::size_t request_count(const mix_part& part) noexcept;
/// Of those bodies that are given; made ones are short.
double average_body_bytes(const mix_part& part) noexcept;

/// Reads a mix file (TOML). Files that it names are looked for beside it. Fails with
/// `config_invalid` or `io_failed`: which line of which file, what is wrong and what to write.
base::expected<std::vector<mix_part>> read_mix(const std::string& file);

/// The mix of one operation.
std::vector<mix_part> single_mix(http::operation what);

} // namespace matchcloud::load
