#pragma once

#include "load/options.hpp"
#include "load/results.hpp"

#include <string>

namespace matchcloud::load {

/// Says what limited the numbers if it was not the server; empty if nothing suggests that.
std::string bottleneck(const results& of);

/// The report for people.
std::string text_report(const options& options, const results& of);
/// The report for programs; docs/load.md lists the members.
std::string json_report(const options& options, const results& of);
/// The percentile distribution of all latencies in microseconds, as HdrHistogram prints it and its
/// plotters read it.
std::string hdr_report(const latency_histogram& of);

} // namespace matchcloud::load
