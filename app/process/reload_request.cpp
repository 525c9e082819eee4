#include "app/process/reload_request.hpp"

#include "app/process/process_arguments.hpp"
#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/randomness.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;

/// An answer beyond this is cut.
constexpr std::size_t answer_limit_bytes = 64UL * 1024;
/// A signal that arrives while another one is pending is merged with it, so it is sent again after
/// this time.
constexpr milliseconds repeat_pause{1'000};
/// The interval between checks of a process that is starting.
constexpr milliseconds start_pause{20};
/// The first byte of an answer.
constexpr char taken_up = '+';
constexpr char refused = '-';

tl::unexpected<base::error> fail(std::string why) {
  return base::fail(base::errc::unavailable, std::move(why));
}

struct socket_name {
  sockaddr_un address{};
  socklen_t bytes = 0;

  /// In the abstract namespace, so that no file is left behind.
  explicit socket_name(int number) {
    const auto name = "matchcloud-reload-" + std::to_string(number);
    address.sun_family = AF_UNIX;
    name.copy(&address.sun_path[1], name.size());
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
};

base::file_descriptor open_socket() {
  return base::file_descriptor{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

/// Not 0, and not guessable by others.
int random_number() {
  std::array<std::uint8_t, 4> random{};
  base::fill_random(random);
  std::uint32_t number = 0;
  for (const auto each : random)
    number = number << 8U | each;
  return static_cast<int>(number >> 1U | 1U);
}

bool serves(pid_t which) {
  const auto given = arguments_of(which);
  return given.size() > 1 && std::filesystem::path{given[0]}.filename() == "matchcloud" &&
         given[1] == "serve";
}

/// Whether the main thread of a process has SIGHUP in a mask of its status, such as SigBlk. False
/// if the mask has all signals, as while a thread is being started.
bool has_hangup_in(std::string_view mask, pid_t which) {
  const auto has = [](std::uint64_t all, int signal) { return (all >> (signal - 1) & 1U) != 0; };
  std::ifstream file{"/proc/" + std::to_string(which) + "/status"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(mask)) {
      const auto all = std::stoull(line.substr(line.find(':') + 1), nullptr, 16);
      return has(all, SIGHUP) && !has(all, SIGWINCH);
    }
  return false;
}

/// Waits until the process handles the signal, which would end a process that has just started.
base::expected<void> wait_until_it_listens(pid_t which, base::steady_time until) {
  const auto process = "process " + std::to_string(which);
  while (!has_hangup_in("SigBlk", which)) {
    if (!serves(which)) return fail(process + " has ended");
    if (has_hangup_in("SigIgn", which))
      return fail(process +
                  " ignores SIGHUP, as under nohup; restart it to apply the configuration");
    if (base::machine_clock().now() >= until) return fail(process + " has not started to serve");
    static_cast<void>(::poll(nullptr, 0, static_cast<int>(start_pause.count())));
  }
  return {};
}

base::expected<void> tell(pid_t which, int number) {
  if (::sigqueue(which, SIGHUP, {.sival_int = number}) == 0) return {};
  auto why = "cannot send SIGHUP to process " + std::to_string(which) + ": " +
             std::generic_category().message(errno);
  if (errno == EPERM) why += "; run this as its user or as root";
  return fail(std::move(why));
}

base::expected<reload_outcome> read_answer(const base::file_descriptor& from) {
  std::string text(answer_limit_bytes, '\0');
  const auto got = ::recv(from.get(), text.data(), text.size(), 0);
  if (got <= 0) return fail("the answer cannot be read");
  text.resize(static_cast<std::size_t>(got));
  return reload_outcome{text.front() != taken_up, text.substr(1)};
}

} // namespace

base::expected<reload_outcome> ask_to_reload(pid_t which, milliseconds at_most) {
  const auto process = "process " + std::to_string(which);
  if (!serves(which))
    return fail("no service was reloaded: " + process + " is not a `matchcloud serve`");
  const auto number = random_number();
  const socket_name name{number};
  const auto answers = open_socket();
  if (!answers || ::bind(answers.get(), name.get(), name.bytes) != 0)
    return fail("cannot make a socket for the answer: " + std::generic_category().message(errno));
  const auto until = base::machine_clock().now() + at_most;
  if (auto listens = wait_until_it_listens(which, until); !listens)
    return tl::unexpected(listens.error());
  pollfd watched{answers.get(), POLLIN, 0};
  while (base::machine_clock().now() < until) {
    if (auto told = tell(which, number); !told) return tl::unexpected(told.error());
    if (::poll(&watched, 1, static_cast<int>(repeat_pause.count())) > 0)
      return read_answer(answers);
  }
  return fail(
      process + " received the request but did not answer within " +
      std::to_string(at_most.count() / 1'000) +
      " s; see its log for the result (a process in another network namespace cannot answer)");
}

base::expected<pid_t> find_serving_process() {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator{"/proc", ignored}) {
    const auto name = each.path().filename().string();
    pid_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (read.ec == std::errc{} && read.ptr == name.data() + name.size() && serves(number))
      found.push_back(number);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) return fail("this user can see no running `matchcloud serve`");
  std::ranges::sort(found);
  std::string text = "more than one service is running; name one of these processes:";
  for (const auto each : found)
    text.append(" ").append(std::to_string(each));
  return fail(std::move(text));
}

void answer_reload(int asked_with, const reload_outcome& outcome) {
  if (asked_with == 0) return;
  const socket_name name{asked_with};
  const auto from = open_socket();
  const auto text =
      (outcome.is_refused ? refused : taken_up) + outcome.text.substr(0, answer_limit_bytes - 1);
  static_cast<void>(::sendto(from.get(), text.data(), text.size(), 0, name.get(), name.bytes));
}

} // namespace matchcloud::app
