#pragma once

#include "load/requests/request_form.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// The file load/operations.toml, which CMake makes a string: the requests that [[operation]] and
/// `--operation` name.
extern const std::string_view shipped_operations;

/// The names of the shipped requests, in their order.
std::vector<std::string> operation_names();

/// One part of a mix: a request, or a flow, a sequence of requests on one connection whose later
/// ones can use values from earlier replies. Immutable once read; any thread.
struct mix_part {
  std::string name;
  /// Its share of the requests, relative to the sum of all weights.
  double weight = 1;
  /// The lines for {line}; empty if it is not used. All steps of one walk use the same line.
  std::vector<std::string> lines;
  /// The names of the values that templates can use: those of `variables`, then saved ones.
  std::vector<std::string> values;
  std::vector<text_template> variables;
  std::vector<flow_step> steps;
  /// The number of different requests; 0: it is a flow, whose requests are made one by one.
  std::size_t count = 0;

  bool is_flow() const noexcept { return count == 0; }
};

inline constexpr std::size_t flow_steps_limit = 32;
inline constexpr std::size_t saved_values_limit = 32;

/// One row of the results: a request of a mix, or a step of a flow. The mix must outlive it.
struct mix_row {
  const mix_part* part;
  /// The index of the step.
  std::size_t step;

  const request_form& form() const noexcept { return part->steps[step].form; }
  std::string name() const;
};

/// The rows of the results, in the order of the mix.
std::vector<mix_row> rows_of(const std::vector<mix_part>& mix);

/// The values that a request or a walk begins with: the variables, and empty saved ones.
std::vector<std::string> first_values(const mix_part& part, std::mt19937_64& engine);

/// Reads a mix file (TOML). File names in it are relative to it. Throws `base::failure` with
/// `config_invalid` or `io_failed`; the detail has the file and the line, what is wrong and what to
/// write.
std::vector<mix_part> read_mix(const std::string& file);

/// A mix of only this shipped request.
std::vector<mix_part> single_mix(std::string_view operation);

} // namespace matchcloud::load
