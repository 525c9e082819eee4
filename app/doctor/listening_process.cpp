#include "app/doctor/listening_process.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace matchcloud::app {

namespace {

/// TCP_LISTEN in the column `st`.
constexpr std::string_view listening_state = "0A";

std::string hexadecimal(const char* form, unsigned value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), form, value);
  return text.data();
}

/// An endpoint as the kernel writes it: words of 32 bits of the address, in this machine's order.
std::string kernel_form(const http::endpoint& where) {
  std::string text;
  const auto& bytes = where.address.bytes;
  for (std::size_t at = where.address.is_v4() ? 12 : 0; at < bytes.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes[at], sizeof word);
    text += hexadecimal("%08X", word);
  }
  return text + ":" + hexadecimal("%04X", where.port);
}

std::string text_of(const char* path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

std::vector<listening_socket> listening_sockets(std::string_view table,
                                                const http::endpoint& where) {
  const auto wanted = kernel_form(where);
  std::vector<listening_socket> found;
  std::istringstream lines{std::string{table}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    if (words && local == wanted && state == listening_state) found.push_back({user, inode});
  }
  return found;
}

bool process_listens_at(const http::local_peer& process, const http::endpoint& where) {
  namespace fs = std::filesystem;
  const auto sockets =
      listening_sockets(text_of(where.address.is_v4() ? "/proc/net/tcp" : "/proc/net/tcp6"), where);
  std::error_code failed;
  const fs::directory_iterator all{"/proc/" + std::to_string(process.pid) + "/fd", failed};
  bool is_hidden = failed == std::errc::permission_denied;
  for (const auto& each : all) {
    std::error_code unread;
    const auto leads_to = fs::read_symlink(each.path(), unread).string();
    is_hidden |= unread == std::errc::permission_denied;
    const auto is_it = [&](const auto& socket) {
      return leads_to == "socket:[" + socket.inode + "]";
    };
    if (std::ranges::any_of(sockets, is_it)) return true;
  }
  return is_hidden &&
         std::ranges::count(sockets, std::to_string(process.user), &listening_socket::user) > 0;
}

} // namespace matchcloud::app
