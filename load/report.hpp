#pragma once

#include "load/options.hpp"
#include "load/results.hpp"
#include "load/text.hpp"
#include "model/json/json_writer.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// What limited a run, if not the server.
struct limit {
  enum class place : std::uint8_t { none, generator, machine, network, connections };

  place of = place::none;
  /// In words; empty if nothing suggests a limit.
  std::string reason;
};

limit limit_of(const results& of);
/// Whether a thread of this program was short of processor time.
bool is_busy(const results& of) noexcept;

/// A member of an object in a JSON report.
struct json_member {
  json_member(std::string_view named, std::string_view text) : name{named}, value{text} {}
  template <std::integral Number>
  json_member(std::string_view named, Number number) : name{named}, is_text{false} {
    if constexpr (std::same_as<Number, bool>)
      value = number ? "true" : "false";
    else
      value = std::to_string(number);
  }
  json_member(std::string_view named, double number, int digits)
      : name{named}, value{fixed(number, digits)}, is_text{false} {}

  std::string_view name;
  std::string value;
  bool is_text = true;
};

/// A latency of replies in microseconds: null for 0, which stands for no replies.
json_member in_us(std::string_view name, double ns);
void write(model::json_writer& json, std::initializer_list<json_member> members);
/// The members `p50_us` to `max_us`, whose names end with `unit`.
void write_latencies(model::json_writer& json, const latency_summary& of,
                     std::string_view unit = "_us");

/// A row of a table.
using text_row = std::vector<std::string>;
/// Adds the names of percentiles to a row, or their values.
text_row with_titles(text_row row);
text_row with_latencies(text_row row, const latency_summary& of);

/// The version of what `json_report` writes. That of 0.2 and before is 1, which it does not say.
inline constexpr int results_version = 2;

/// The report for people.
std::string text_report(const options& options, const results& of);
/// The report for programs; docs/load.md lists the members. `add_members`, if set, writes further
/// members of its object.
std::string json_report(const options& options, const results& of,
                        const std::function<void(model::json_writer&)>& add_members = {});

} // namespace matchcloud::load
