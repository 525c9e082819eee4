#pragma once

#include "load/reports/report_subject.hpp"

#include <string>

namespace matchcloud::load {

/// A page about a run: one HTML file that needs no other files, scripts or network.
std::string html_report(const report_subject& about);

} // namespace matchcloud::load
