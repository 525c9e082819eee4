#include "base/crash_report.hpp"

#include "base/build_info.hpp"
#include "base/fixed_text.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <span>
#include <typeinfo>

namespace matchcloud::base {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
#else
constexpr bool is_sanitized = false;
#endif

/// Frames of the stack, innermost first.
constexpr std::size_t frames_limit = 64;
constexpr std::size_t why_limit_bytes = 1'024;
/// Room for a head and a line per frame; a longer report is cut.
constexpr std::size_t report_limit_bytes = 16 * 1'024;
/// How long a crash waits for the reader of stderr.
constexpr std::chrono::milliseconds report_time_limit{1'000};
/// After this the process ends even without a report: the unwinder may be waiting for a lock that
/// the crashed thread holds. Longer than both ways of writing the report take together.
constexpr unsigned overdue_s = 3;
/// The number of bytes that a writable pipe accepts without blocking.
constexpr std::size_t piece_bytes = 4'096;
/// The handler and the unwinder need some 10 KiB.
constexpr std::size_t guard_bytes = 64 * 1'024;
/// A fault this close to the stack pointer is an overflow of the stack.
constexpr std::uintptr_t overflow_bytes = 64 * 1'024;

using report_text = fixed_text<report_limit_bytes>;

struct crash_state {
  std::atomic<bool> installed{false};
  /// A thread has crashed.
  std::atomic<bool> begun{false};
  /// The id of that thread.
  std::atomic<pid_t> thread{0};
  /// The report is being written, or was.
  std::atomic<bool> is_said{false};
  std::atomic<int> signal{0};
  std::atomic<last_words_writer*> writer{nullptr};
  std::atomic<bool> has_why{false};
  std::atomic<bool> why_is_whole{false};
  fixed_text<why_limit_bytes> why;
  fixed_text<PATH_MAX> program;
  report_text report;
  std::array<void*, frames_limit + 8> frames{};
};

/// Static, because a signal handler can reach nothing else.
crash_state& state() noexcept {
  static constinit crash_state only;
  return only;
}

std::string_view name_of(int signal) noexcept {
  switch (signal) {
  case SIGSEGV: return "SIGSEGV";
  case SIGBUS: return "SIGBUS";
  case SIGILL: return "SIGILL";
  case SIGFPE: return "SIGFPE";
  case SIGABRT: return "SIGABRT";
  case SIGSYS: return "SIGSYS";
  default: return "a signal";
  }
}

/// Whether a process (possibly this one) sent the signal; otherwise an instruction caused it.
bool was_sent(const siginfo_t& info) noexcept {
  return info.si_code <= 0;
}

struct registers {
  std::uintptr_t instruction = 0;
  std::uintptr_t stack = 0;
};

registers registers_in(const void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {machine.pc, machine.sp};
#else
  static_cast<void>(machine);
  return {};
#endif
}

/// The beginning of a log line. Avoids gmtime_r, which may take locks.
void add_line_begin(report_text& to) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const auto at = utc_time{static_cast<std::uint64_t>(now.tv_sec)};
  to.add("[").add(at.year).add("-").add(at.month, 2).add("-").add(at.day, 2);
  to.add("T").add(at.hour, 2).add(":").add(at.minute, 2).add(":").add(at.second, 2);
  to.add(".").add(static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000, 3);
  to.add("Z] [matchcloud] [critical] crash: ");
}

void add_cause(report_text& to, int signal, const siginfo_t& info, const registers& at) noexcept {
  to.add(name_of(signal));
  if (was_sent(info)) {
    if (info.si_pid != getpid())
      to.add(", sent by process ").add(static_cast<std::uint64_t>(info.si_pid));
    return;
  }
  if (info.si_code == SI_KERNEL) { // the processor does not report a non-canonical address
    to.add(" at a non-canonical address");
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  to.add(" at address ").add_hexadecimal(address);
  if (signal == SIGSEGV && at.stack != 0 && address + overflow_bytes > at.stack &&
      address < at.stack + overflow_bytes)
    to.add(" (stack overflow)");
}

void add_head(report_text& to, int signal, const siginfo_t& info, const registers& at) noexcept {
  auto& all = state();
  add_line_begin(to);
  add_cause(to, signal, info, at);
  std::array<char, 17> thread{};
  static_cast<void>(prctl(PR_GET_NAME, thread.data()));
  to.add(", in thread ").add(static_cast<std::uint64_t>(gettid()));
  to.add(" (").add(thread.data()).add("); ");
  const auto& built = base::built();
  to.add(built.name).add(" ").add(built.version).add(", commit ").add(built.commit);
  if (all.why_is_whole.load(std::memory_order_acquire)) to.add(": ").add(all.why.view());
  to.add("\n");
}

/// In the form that addr2line expects: the offset in the file of the program or library.
void add_frame(report_text& to, std::size_t number, std::uintptr_t address) noexcept {
  add_line_begin(to);
  to.add("#").add(number).add(" ");
  dl_find_object found{};
  if (_dl_find_object(reinterpret_cast<void*>(address), &found) == 0) { // takes no lock
    const std::string_view library = found.dlfo_link_map->l_name;
    to.add(library.empty() ? state().program.view() : library);
    to.add("+").add_hexadecimal(address - found.dlfo_link_map->l_addr);
  } else {
    to.add_hexadecimal(address);
  }
  to.add("\n");
}

/// Whether an address lies in the program or a library.
bool is_known(std::uintptr_t address) noexcept {
  dl_find_object found{};
  return _dl_find_object(reinterpret_cast<void*>(address), &found) == 0;
}

/// The return address of the function that was just called; 0 if it is unknown.
std::uintptr_t caller_in(const registers& at) noexcept {
#if defined(__x86_64__)
  std::uintptr_t caller = 0;
  const iovec to{&caller, sizeof caller};
  const iovec from{reinterpret_cast<void*>(at.stack), sizeof caller};
  // Fails where reading the memory directly would fault.
  return ::process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof caller ? caller : 0;
#else
  static_cast<void>(at);
  return 0;
#endif
}

/// The unwinder may fault if the stack was overwritten. The report then has what was added before.
void add_stack(report_text& to, const registers& at) noexcept {
  auto& all = state();
  std::size_t number = 0;
  if (at.instruction != 0 || at.stack != 0) add_frame(to, number++, at.instruction);
  if (at.stack != 0 && !is_known(at.instruction)) {
    // A jump to nowhere, or a call through a null pointer: the unwinder cannot start there.
    if (const auto caller = caller_in(at); is_known(caller)) add_frame(to, number++, caller - 1);
    return;
  }
  const auto count = ::backtrace(all.frames.data(), static_cast<int>(all.frames.size()));
  std::span<void* const> frames{all.frames.data(), static_cast<std::size_t>(std::max(count, 0))};
  // The frames before the faulting instruction are this handler and its callers.
  const auto crashed = std::ranges::find(frames, reinterpret_cast<void*>(at.instruction));
  if (crashed != frames.end())
    frames = frames.subspan(static_cast<std::size_t>(crashed - frames.begin()) + 1);
  for (auto* each : frames.first(std::min(frames.size(), frames_limit)))
    // The other frames are return addresses; step back to get the line of the call.
    add_frame(to, number++, reinterpret_cast<std::uintptr_t>(each) - 1);
}

/// Gives up when stderr accepts nothing.
void write_directly(std::string_view text) noexcept {
  const auto until = std::chrono::steady_clock::now() + report_time_limit;
  while (!text.empty()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd writable{STDERR_FILENO, POLLOUT, 0};
    if (left.count() <= 0 || ::poll(&writable, 1, static_cast<int>(left.count())) <= 0) return;
    const auto written = ::write(STDERR_FILENO, text.data(), std::min(text.size(), piece_bytes));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The first process of a container survives signals that it has no handler for.
[[noreturn]] void end_anyway(int signal) noexcept {
  constexpr int of_signals = 128;
  ::_exit(of_signals + signal);
}

/// Ends the process as the crash would have, in whichever thread receives the alarm.
extern "C" void on_overdue(int) {
  const auto crash_signal = state().signal.load();
  std::signal(crash_signal, SIG_DFL);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, crash_signal);
  pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
  static_cast<void>(::raise(crash_signal));
  end_anyway(crash_signal);
}

void bound_report() noexcept {
  std::signal(SIGALRM, SIG_IGN); // discards a pending one
  struct sigaction overdue {};
  overdue.sa_handler = on_overdue;
  overdue.sa_flags = SA_ONSTACK;
  sigemptyset(&overdue.sa_mask);
  ::sigaction(SIGALRM, &overdue, nullptr);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &wanted, nullptr);
  ::alarm(overdue_s);
}

void say_report() noexcept {
  auto& all = state();
  if (all.is_said.exchange(true)) return;
  auto* writer = all.writer.load(std::memory_order_acquire);
  if (writer == nullptr ||
      writer->write_last(all.report.view(), report_time_limit) == last_words_writer::result::unable)
    write_directly(all.report.view());
}

/// Not to be returned from.
void crash_again() noexcept {
  // A thread that crashes while another crash is reported ends with it.
  while (state().thread.load() != gettid())
    ::pause();
  say_report();
  on_overdue(0);
}

extern "C" void on_crash(int signal, siginfo_t* info, void* context) {
  auto& all = state();
  if (all.begun.exchange(true)) return crash_again();
  all.thread.store(gettid());
  all.signal.store(signal);
  bound_report();
  const auto at = registers_in(context);
  add_head(all.report, signal, *info, at);
  add_stack(all.report, at);
  say_report();
  // On return, the faulting instruction runs again, so that the core shows it.
  std::signal(signal, SIG_DFL);
  if (!was_sent(*info)) return;
  static_cast<void>(::raise(signal));
  end_anyway(signal);
}

[[noreturn]] void on_terminate() noexcept {
  fixed_text<why_limit_bytes> why;
  const auto* type = abi::__cxa_current_exception_type();
  if (type == nullptr) crash("std::terminate was called");
  int failed = 0;
  const auto* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &failed); // never freed
  why.add("uncaught exception ").add(name != nullptr ? name : type->name());
  try {
    throw;
  } catch (const std::exception& caught) {
    why.add(": ").add(caught.what());
  } catch (...) { // has no message
  }
  crash(why.view());
}

/// Memory that the kernel switches to for the handler.
class handler_stack {
public:
  handler_stack() noexcept {
    auto* made =
        ::mmap(nullptr, guard_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return;
    stack_t stack{};
    stack.ss_sp = made;
    stack.ss_size = guard_bytes;
    if (::sigaltstack(&stack, nullptr) == 0)
      memory_ = made;
    else
      ::munmap(made, guard_bytes);
  }
  handler_stack(const handler_stack&) = delete;
  handler_stack& operator=(const handler_stack&) = delete;
  ~handler_stack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    ::munmap(memory_, guard_bytes);
  }

private:
  void* memory_ = nullptr;
};

} // namespace

void report_crashes() {
  if (is_sanitized) return;
  auto& all = state();
  std::array<char, PATH_MAX> path{};
  const auto length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length > 0) all.program.add({path.data(), static_cast<std::size_t>(length)});
  // Loads the unwinder now, because loading it allocates.
  static_cast<void>(::backtrace(all.frames.data(), 1));
  struct sigaction report {};
  report.sa_sigaction = on_crash;
  // A fault whose signal is blocked would end the process without the report.
  report.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&report.sa_mask);
  for (const int each : crash_signals) {
    struct sigaction before {};
    if (::sigaction(each, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(each, &report, nullptr);
  }
  std::set_terminate(on_terminate);
  all.installed.store(true, std::memory_order_release);
  guard_stack();
}

void guard_stack() noexcept {
  if (!state().installed.load(std::memory_order_acquire)) return;
  static thread_local handler_stack own;
  static_cast<void>(own);
}

void write_crashes_by(last_words_writer* writer) noexcept {
  state().writer.store(writer, std::memory_order_release);
}

void crash(std::string_view why) noexcept {
  auto& all = state();
  if (!all.installed.load(std::memory_order_acquire)) {
    write_directly(why);
    write_directly("\n");
  } else if (!all.has_why.exchange(true)) {
    all.why.add(why);
    all.why_is_whole.store(true, std::memory_order_release);
  }
  std::abort();
}

} // namespace matchcloud::base
