#pragma once

#include "base/log/line_writer.hpp"

#include <spdlog/sinks/base_sink.h>

#include <memory>
#include <mutex>

namespace matchcloud::base {

/// Passes formatted lines to a `line_writer` without waiting. Any thread.
class writer_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  /// `colours`: levels have colours, for terminals.
  writer_sink(std::shared_ptr<line_writer> to, std::unique_ptr<spdlog::formatter> formatter,
              bool colours);

  /// Returns `line` as it is written, with its line end.
  static std::string render(const spdlog::details::log_msg& line, spdlog::formatter& by,
                            bool colours);

protected:
  void sink_it_(const spdlog::details::log_msg& line) override;
  void flush_() override {}

private:
  std::shared_ptr<line_writer> to_;
  bool colours_;
};

} // namespace matchcloud::base
