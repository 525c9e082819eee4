#pragma once

#include "base/files/file_descriptor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace matchcloud::app {

/// The socket of a service manager.
struct manager_socket {
  fixtures::temporary_directory folder;
  std::string path = folder.path("notify");
  base::file_descriptor socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};

  manager_socket() {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(&at.sun_path[0], sizeof at.sun_path - 1);
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  }
  std::optional<std::string> next() const {
    std::array<char, 4096> buffer;
    const auto got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (got < 0) return std::nullopt;
    return std::string{buffer.data(), static_cast<std::size_t>(got)};
  }
  /// Fills the socket. Returns the number of messages that it takes.
  std::size_t fill() const {
    const base::file_descriptor from{::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)};
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(&at.sun_path[0], sizeof at.sun_path - 1);
    std::size_t count = 0;
    while (::sendto(from.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 1)
      ++count;
    return count;
  }
};

/// What is logged while it exists. Nothing is formatted before it is asked for: UBSan's check of a
/// virtual call needs a descriptor, and there are tests in which none can be had.
class logged_lines {
public:
  logged_lines() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("", seen_)); }
  logged_lines(const logged_lines&) = delete;
  logged_lines& operator=(const logged_lines&) = delete;
  ~logged_lines() { spdlog::set_default_logger(usual_); }

  std::string text() const {
    std::string all;
    for (const auto& line : seen_->last_formatted())
      all += line;
    return all;
  }

private:
  static constexpr std::size_t most_lines = 100;

  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> seen_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(most_lines);
  std::shared_ptr<spdlog::logger> usual_ = spdlog::default_logger();
};

} // namespace matchcloud::app
