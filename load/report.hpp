#pragma once

#include "load/options.hpp"
#include "load/results.hpp"
#include "model/json/json_writer.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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
/// Says what limited the run, if not the server; empty if nothing suggests that.
std::string bottleneck(const results& of);

/// Writes a latency of replies in microseconds as a member: null for 0, which stands for no
/// replies.
void write_us(model::json_writer& json, std::string_view name, double ns);

/// The report for people.
std::string text_report(const options& options, const results& of);
/// The report for programs; docs/load.md lists the members. `add_members`, if set, writes further
/// members of its object.
std::string json_report(const options& options, const results& of,
                        const std::function<void(model::json_writer&)>& add_members = {});
/// The percentile distribution of all latencies in microseconds, in the format of HdrHistogram and
/// its plotters.
std::string hdr_report(const latency_histogram& of);

} // namespace matchcloud::load
