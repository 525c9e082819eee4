#pragma once

#include "load/options.hpp"
#include "load/results.hpp"

#include <string>

namespace matchcloud::load {

/// What limited the numbers, in words, where it was not the server: empty where nothing points to
/// that.
std::string bottleneck(const results& of);

/// For people.
std::string text_report(const options& options, const results& of);
/// For programs; docs/load.md lists the members.
std::string json_report(const options& options, const results& of);
/// The percentile distribution of all latencies in microseconds, as HdrHistogram prints it and its
/// plotters read it.
std::string hdr_report(const latency_histogram& of);

} // namespace matchcloud::load
