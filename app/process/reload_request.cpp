#include "app/process/reload_request.hpp"

#include "app/process/spawn.hpp"
#include "base/clock.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/unix_address.hpp"
#include "base/randomness.hpp"

#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;

/// An answer beyond this is cut.
constexpr std::size_t outcome_limit_bytes = 64UL * 1024;
/// A signal that arrives while another one is pending is merged with it, so it is sent again after
/// this time.
constexpr milliseconds repeat_pause{1'000};
/// The interval between checks of a process that is starting.
constexpr milliseconds start_pause{20};
/// The first byte of an answer.
constexpr char taken_up = '+';
constexpr char refused_sign = '-';

template <class... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> why, Arguments&&... arguments) {
  throw base::failure{base::errc::unavailable,
                      fmt::format(why, std::forward<Arguments>(arguments)...)};
}

/// In the abstract namespace, so that no file is left behind.
base::unix_address address_of_answer(int number) {
  return base::unix_address{"@matchcloud-reload-" + std::to_string(number)};
}

base::file_descriptor open_socket() {
  return base::file_descriptor{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

/// Not 0, and not guessable by others.
int random_number() {
  return static_cast<int>(static_cast<std::uint32_t>(base::random_seed()) >> 1U | 1U);
}

/// Whether a process that calls itself a service may be one that this user asks: it is this user's,
/// or this user is root and its program, too, is a `matchcloud` of root's, so that nobody else
/// wrote it.
bool may_be_asked(pid_t which) {
  if (user_of(which) == ::geteuid()) return true;
  if (::geteuid() != 0) return false;
  const auto link = "/proc/" + std::to_string(which) + "/exe";
  struct stat program {};
  std::error_code gone;
  return ::stat(link.c_str(), &program) == 0 && program.st_uid == 0 &&
         std::filesystem::read_symlink(link, gone).filename().string().starts_with("matchcloud");
}

/// Whether the main thread of a process has SIGHUP in a mask of its status, such as SigBlk. False
/// if the mask has all signals, as while a thread is being started.
bool has_hangup_in(const std::string& mask, pid_t which) {
  const auto has = [](std::uint64_t all, int signal) { return (all >> (signal - 1) & 1U) != 0; };
  const auto text = line_of_process(which, "status", mask + ":");
  if (text.empty()) return false;
  const auto all = std::stoull(text, nullptr, 16);
  return has(all, SIGHUP) && !has(all, SIGWINCH);
}

/// Waits until the process handles the signal, which would end a process that has just started.
void wait_until_it_listens(pid_t which, base::steady_time until) {
  while (!has_hangup_in("SigBlk", which)) {
    if (!serves(which)) fail("process {} has ended", which);
    if (has_hangup_in("SigIgn", which))
      fail("process {} ignores SIGHUP, as under nohup; restart it to apply the configuration",
           which);
    if (base::machine_clock().now() >= until) fail("process {} has not started to serve", which);
    static_cast<void>(::poll(nullptr, 0, static_cast<int>(start_pause.count())));
  }
}

void tell(pid_t which, int number) {
  if (::sigqueue(which, SIGHUP, {.sival_int = number}) == 0) return;
  fail("cannot send SIGHUP to process {}: {}{}", which, std::generic_category().message(errno),
       errno == EPERM ? "; run this as its user or as root" : "");
}

/// Reads the next datagram, which any local user may have sent; nothing if it is not of `which`.
std::optional<reload_outcome> read_answer(const base::file_descriptor& from, pid_t which) {
  std::string text(outcome_limit_bytes, '\0');
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  iovec into{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &into;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const auto got = ::recvmsg(from.get(), &message, MSG_CMSG_CLOEXEC);
  const auto* about = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (about == nullptr || about->cmsg_type != SCM_CREDENTIALS) return std::nullopt;
  ucred sender{};
  std::memcpy(&sender, CMSG_DATA(about), sizeof sender);
  if (sender.pid != which) return std::nullopt;
  text.resize(static_cast<std::size_t>(got));
  return reload_outcome{text.front() != taken_up, text.substr(1)};
}

} // namespace

reload_outcome ask_to_reload(pid_t which, milliseconds at_most) {
  if (!serves(which))
    fail("no service was reloaded: process {} is not a `matchcloud serve`", which);
  if (!may_be_asked(which))
    fail("no service was reloaded: process {}{}", which,
         ::geteuid() == 0 ? " runs no matchcloud of root's; run this as its user"
                          : " is another user's; run this as its user or as root");
  const auto number = random_number();
  const auto name = address_of_answer(number);
  const auto answers = open_socket();
  constexpr int on = 1;
  if (!answers || ::setsockopt(answers.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      ::bind(answers.get(), name.get(), name.bytes) != 0)
    fail("cannot make a socket for the answer: {}", std::generic_category().message(errno));
  const auto until = base::machine_clock().now() + at_most;
  wait_until_it_listens(which, until);
  pollfd watched{answers.get(), POLLIN, 0};
  while (base::machine_clock().now() < until) {
    tell(which, number);
    const auto again = base::machine_clock().now() + repeat_pause;
    while (::poll(&watched, 1, static_cast<int>(repeat_pause.count())) > 0) {
      if (auto answer = read_answer(answers, which)) return *std::move(answer);
      if (base::machine_clock().now() >= again) break;
    }
  }
  fail("process {} received the request but did not answer within {} s; see its log for the result "
       "(a process in another network namespace cannot answer)",
       which, at_most.count() / 1'000);
}

bool serves(pid_t which) {
  const auto given = arguments_of(which);
  return given.size() > 1 && std::filesystem::path{given[0]}.filename() == "matchcloud" &&
         given[1] == "serve";
}

uid_t user_of(pid_t which) {
  const auto text = line_of_process(which, "status", "Uid:");
  return text.empty() ? static_cast<uid_t>(-1) : static_cast<uid_t>(std::stoul(text));
}

std::vector<pid_t> serving_processes() {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator{"/proc", ignored}) {
    const auto name = each.path().filename().string();
    const auto number = base::parse_decimal<pid_t>(name);
    if (number && serves(*number) && may_be_asked(*number)) found.push_back(*number);
  }
  std::ranges::sort(found);
  return found;
}

void answer_reload(int asked_with, const reload_outcome& outcome) {
  if (asked_with == 0) return;
  const auto name = address_of_answer(asked_with);
  const auto from = open_socket();
  const auto text = (outcome.is_refused ? refused_sign : taken_up) +
                    outcome.text.substr(0, outcome_limit_bytes - 1);
  static_cast<void>(::sendto(from.get(), text.data(), text.size(), 0, name.get(), name.bytes));
}

} // namespace matchcloud::app
