#pragma once

#include "base/expected.hpp"
#include "load/arrivals.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// The highest rate of requests per second.
inline constexpr double rate_limit = 10'000'000;
/// The limit on stages in a run, because each has its own counts of half a megabyte per thread.
inline constexpr std::size_t stages_limit = 64;

/// Reads stages in command line syntax, separated by commas or line breaks: `1k:10s, 1k..5k:30s`.
/// Fails with `config_invalid`; the detail names the wrong stage and what to write.
base::expected<std::vector<rate_stage>> parse_stages(std::string_view text);

/// Reads stages from such a text, which contains a colon, or else from the TOML file with that
/// name. Fails with `config_invalid` or `io_failed`.
base::expected<std::vector<rate_stage>> read_stages(const std::string& text_or_file);

/// The length of all stages together.
std::chrono::nanoseconds length_of(const std::vector<rate_stage>& stages) noexcept;
/// The highest rate of all stages, in requests per second.
double peak_of(const std::vector<rate_stage>& stages) noexcept;

} // namespace matchcloud::load
