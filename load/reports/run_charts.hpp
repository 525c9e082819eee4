#pragma once

#include "load/reports/report_subject.hpp"

#include <string>

namespace matchcloud::load {

/// The parts of a page about a run, each an HTML section; empty if a run has nothing for it.
std::string curve_part(const report_subject& about);
std::string percentiles_part(const report_subject& about);
std::string heat_part(const report_subject& about);
std::string throughput_part(const report_subject& about);
std::string operations_part(const report_subject& about);
std::string flows_part(const report_subject& about);
std::string service_part(const report_subject& about);

} // namespace matchcloud::load
