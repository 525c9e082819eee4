#include "base/crash_report.hpp"

#include "base/check.hpp"
#include "base/fixed_text.hpp"
#include "base/log/line_writer.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/stalled_pipe.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace matchcloud::base {
namespace {

using fixtures::stalled_pipe;
using filled = stalled_pipe::filled;

// Sanitizers have reports of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

struct crashed {
  /// The number of the signal that ended the process; 0 if none did.
  int signal = 0;
  /// What it wrote.
  std::string text;
};

/// Runs `body` in a forked process that reports crashes on `errors`.
int run_forked(int errors, const std::function<void()>& body) {
  const auto pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::dup2(errors, STDERR_FILENO);
    for (const int each : crash_signals) // Catch2 has handlers
      std::signal(each, SIG_DFL);
    report_crashes();
    body();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

crashed crash_of(const std::function<void()>& body) {
  stalled_pipe pipe{filled::no};
  pipe.read_on();
  crashed result;
  result.signal = run_forked(pipe.write_end(), body);
  result.text = pipe.finish();
  return result;
}

bool has(const crashed& what, std::string_view text) {
  return what.text.find(text) != std::string::npos;
}

/// Calls itself until the stack is used up.
[[gnu::noinline]] int overflow(int depth) { // NOLINT(misc-no-recursion)
  volatile char frame[512]{};
  frame[depth % 512] = 1;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

void write_to_address_8() {
  *reinterpret_cast<volatile int*>(8) = 1;
}

TEST_CASE("a fault leaves its signal, address, thread, version and stack") {
  const auto got = crash_of(write_to_address_8);
  INFO(got.text);
  CHECK(got.signal == SIGSEGV);
  CHECK(has(got, "Z] [matchcloud] [critical] crash: SIGSEGV at address 0x8, in thread "));
  CHECK(has(got, "commit "));
  CHECK(has(got, "crash: #0 "));
  CHECK(has(got, "test_base+0x"));
  CHECK(has(got, "crash: #2 "));
}

TEST_CASE("each signal of a crash is named, and ends the process as it would without a report") {
  for (const auto& [number, name] : {std::pair{SIGSEGV, "SIGSEGV"},
                                     {SIGBUS, "SIGBUS"},
                                     {SIGILL, "SIGILL"},
                                     {SIGFPE, "SIGFPE"},
                                     {SIGABRT, "SIGABRT"}}) {
    const auto got = crash_of([number = number] { std::raise(number); });
    INFO(got.text);
    CHECK(got.signal == number);
    CHECK(has(got, std::string{"crash: "} + name + ", in thread"));
  }
}

TEST_CASE("a stack that is used up is reported, in any thread that has guard_stack") {
  const bool in_thread = GENERATE(false, true);
  const auto got = crash_of([&] {
    if (!in_thread) std::_Exit(overflow(1));
    std::thread{[] {
      guard_stack();
      std::_Exit(overflow(1));
    }}.join();
  });
  INFO(got.text);
  CHECK(got.signal == SIGSEGV);
  CHECK(has(got, "crash: SIGSEGV at address 0x"));
  CHECK(has(got, "(stack overflow)"));
  CHECK(has(got, "crash: #63 "));
}

TEST_CASE("an exception that nobody catches is reported with its text") {
  const auto got =
      crash_of([] { std::thread{[] { throw std::runtime_error{"no more chairs"}; }}.join(); });
  INFO(got.text);
  CHECK(got.signal == SIGABRT);
  CHECK(has(got, "crash: SIGABRT, in thread"));
  CHECK(has(got, ": uncaught exception std::runtime_error: no more chairs\n"));
  const auto bare = crash_of([]() noexcept { std::terminate(); });
  CHECK(has(bare, "std::terminate was called"));
}

TEST_CASE("a failed check is reported as a crash") {
  const auto got = crash_of([] { check(false, "two is three"); });
  INFO(got.text);
  CHECK(got.signal == SIGABRT);
  CHECK(has(got, "crash_report_test.cpp:"));
  CHECK(has(got, "check failed: two is three\n"));
}

TEST_CASE("lines that wait are written before the report") {
  const auto got = crash_of([] {
    static line_writer writer{STDERR_FILENO, [](std::uint64_t) { return std::string{}; }};
    write_crashes_by(&writer);
    for (int i = 0; i < 100; ++i)
      writer.write("line " + std::to_string(i) + "\n");
    write_to_address_8();
  });
  std::string all;
  for (int i = 0; i < 100; ++i)
    all += "line " + std::to_string(i) + "\n";
  CHECK(got.signal == SIGSEGV);
  INFO(got.text);
  REQUIRE(got.text.starts_with(all));
  CHECK(got.text.find("crash: SIGSEGV") == got.text.find("crash: "));
}

TEST_CASE("a crash ends the process also where nobody reads stderr") {
  const bool has_writer = GENERATE(false, true);
  const stalled_pipe pipe{filled::full};
  const auto begun = std::chrono::steady_clock::now();
  CHECK(run_forked(pipe.write_end(), [&] {
          std::optional<line_writer> writer;
          if (has_writer) {
            writer.emplace(STDERR_FILENO, [](std::uint64_t) { return std::string{}; });
            write_crashes_by(&*writer);
            writer->write("stuck\n");
          }
          write_to_address_8();
        }) == SIGSEGV);
  CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds{900});
  CHECK(std::chrono::steady_clock::now() - begun < e2e::patience / 2);
}

/// Never comes back, as what waits for a lock of the crashed thread.
class stuck_writer final : public last_words_writer {
public:
  result write_last(std::string_view, std::chrono::milliseconds) noexcept override {
    while (true)
      ::pause();
  }
};

TEST_CASE("a jump to nowhere is reported with its caller, and an overwritten stack with its end") {
  volatile std::uintptr_t nowhere = GENERATE(0U, 0x1'2345'0000U);
  const auto jumped = crash_of([&] { reinterpret_cast<void (*)()>(nowhere)(); });
  INFO(jumped.text);
  CHECK(jumped.signal == SIGSEGV);
  CHECK(has(jumped, "crash: SIGSEGV at address 0x"));
  CHECK(has(jumped, "crash: #0 0x"));
  CHECK(has(jumped, "crash: #1 /"));
#if defined(__x86_64__)
  const auto smashed = crash_of([] {
    // Whatever abort returns to leads nowhere.
    asm volatile("mov $64, %%rcx\n"
                 "1: movabs $0x414141410000, %%rax\n"
                 "mov %%rax, -8(%%rsp,%%rcx,8)\n"
                 "dec %%rcx\n"
                 "jnz 1b\n"
                 "jmp *%0" ::"r"(&std::abort)
                 : "rax", "rcx", "memory");
  });
  INFO(smashed.text);
  CHECK(smashed.signal == SIGABRT);
  CHECK(has(smashed, "crash: SIGABRT"));
  CHECK(has(smashed, "crash: #0 /"));
#endif
}

TEST_CASE("a crash ends the first process of a container, which signals spare") {
  if (::geteuid() != 0) return;
  constexpr int no_namespace = 77;
  const auto outer = ::fork();
  REQUIRE(outer >= 0);
  if (outer == 0) {
    if (::unshare(CLONE_NEWPID) != 0) ::_exit(no_namespace);
    int status = 0;
    const auto first = ::fork();
    if (first == 0) {
      ::close(STDERR_FILENO);
      for (const int each : crash_signals)
        std::signal(each, SIG_DFL);
      report_crashes();
      std::abort();
    }
    ::_exit(::waitpid(first, &status, 0) == first && WIFEXITED(status) ? WEXITSTATUS(status) : 0);
  }
  int status = 0;
  REQUIRE(::waitpid(outer, &status, 0) == outer);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) != no_namespace) CHECK(WEXITSTATUS(status) == 128 + SIGABRT);
}

TEST_CASE("a crash whose report cannot be made ends the process with its signal") {
  const int number = GENERATE(SIGSEGV, SIGABRT);
  const stalled_pipe pipe{filled::no};
  CHECK(run_forked(pipe.write_end(), [&] {
          static stuck_writer writer;
          write_crashes_by(&writer);
          if (number == SIGSEGV) write_to_address_8();
          std::abort();
        }) == number);
}

#endif

TEST_CASE("times of crashes are those of the calendar") {
  const utc_time at{951'827'696}; // date -ud @951827696
  CHECK(at.year == 2000);
  CHECK(at.month == 2);
  CHECK(at.day == 29);
  CHECK(at.hour == 12);
  CHECK(at.minute == 34);
  CHECK(at.second == 56);
  const utc_time later{4'107'542'400};
  CHECK(later.year == 2100);
  CHECK(later.month == 3);
  CHECK(later.day == 1);
}

TEST_CASE("fixed texts are cut at their limit") {
  fixed_text<10> text;
  CHECK(text.add("ab").add(7, 3).add_hexadecimal(255).add("cdef").view() == "ab0070xffc");
}

} // namespace
} // namespace matchcloud::base
