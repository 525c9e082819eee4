#pragma once

#include "base/expected.hpp"
#include "load/compare/bootstrap.hpp"
#include "load/compare/run_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

enum class compared_measure : std::uint8_t { p50, p99, throughput, processor_time };

/// `unclear`: the difference may be below the tolerance, or zero.
enum class compared_verdict : std::uint8_t { faster, slower, unclear };

/// One measure of an operation in both runs.
struct compared_row {
  /// `all` means all operations together.
  std::string operation;
  compared_measure measure = compared_measure::p50;
  /// Nanoseconds, or replies per second.
  double a = 0;
  double b = 0;
  /// `b` to `a`.
  ratio_estimate ratio{};
  compared_verdict verdict = compared_verdict::unclear;
};

struct comparison {
  std::vector<compared_row> rows;
  /// Reasons to doubt the comparison, one sentence each.
  std::vector<std::string> notes;

  bool has(compared_verdict which) const noexcept;
};

std::string_view name_of(compared_measure which) noexcept;
/// `cannot tell` for `unclear`.
std::string_view name_of(compared_verdict which) noexcept;

/// Compares two runs by operation. `tolerance`: the difference to ignore, as a fraction of the
/// measure. A row is slower, or faster, if its whole interval lies on that side beyond the
/// tolerance. With 95 % confidence, all true ratios lie in their intervals (Bonferroni), so that a
/// chance difference in one of many rows does not fail a build. Fails with `config_invalid` if the
/// runs have no operation in common. The same seed gives the same result.
base::expected<comparison> compare(const compared_run& a, const compared_run& b, double tolerance,
                                   std::uint64_t seed);

/// The comparison as a table.
std::string compare_text(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance);
/// The comparison as JSON; docs/load.md lists the members.
std::string compare_json(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance);

} // namespace matchcloud::load
