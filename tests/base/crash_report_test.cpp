#include "base/crash_report.hpp"

#include "base/byte_budget.hpp"
#include "base/check.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/stalled_pipe.hpp"

#include <csignal>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
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

void write_to_address_8() {
  *reinterpret_cast<volatile int*>(8) = 1;
}

TEST_CASE("a fault leaves its signal and its stack") {
  const auto got = crash_of(write_to_address_8);
  INFO(got.text);
  CHECK(got.signal == SIGSEGV);
  CHECK(got.text.starts_with("crash: SIGSEGV\n"));
  CHECK(has(got, "test_base("));
}

TEST_CASE("each signal of a crash is named, and ends the process as it would without a report") {
  for (const auto& [number, name] : {std::pair{SIGSEGV, "SIGSEGV"},
                                     {SIGBUS, "SIGBUS"},
                                     {SIGILL, "SIGILL"},
                                     {SIGFPE, "SIGFPE"},
                                     {SIGABRT, "SIGABRT"},
                                     {SIGSYS, "SIGSYS"}}) {
    const auto got = crash_of([number = number] { std::raise(number); });
    INFO(got.text);
    CHECK(got.signal == number);
    CHECK(has(got, std::string{"crash: "} + name + "\n"));
  }
}

TEST_CASE("an exception that nobody catches is reported with its text") {
  const auto got =
      crash_of([] { std::thread{[] { throw std::runtime_error{"no more chairs"}; }}.join(); });
  INFO(got.text);
  CHECK(got.signal == SIGABRT);
  CHECK(has(got, "no more chairs\n"));
  CHECK(has(got, "crash: SIGABRT\n"));
}

TEST_CASE("a failed check is reported as a crash") {
  const auto got = crash_of([] { check(false, "two is three"); });
  INFO(got.text);
  CHECK(got.signal == SIGABRT);
  CHECK(has(got, "crash_report_test.cpp:"));
  CHECK(has(got, "check failed: two is three\ncrash: SIGABRT\n"));
}

TEST_CASE("a crash ends the process also where nobody reads stderr") {
  const stalled_pipe pipe{filled::full};
  CHECK(run_forked(pipe.write_end(), write_to_address_8) == SIGSEGV);
}

TEST_CASE("a jump to nowhere is named, although its stack cannot be followed") {
  volatile std::uintptr_t nowhere = GENERATE(0U, 0x1'2345'0000U);
  const auto jumped = crash_of([&] { reinterpret_cast<void (*)()>(nowhere)(); });
  CHECK(jumped.signal == SIGSEGV);
  CHECK(has(jumped, "crash: SIGSEGV\n"));
}

#endif

/// Whether `body` ends a forked process with SIGABRT.
bool aborts(const std::function<void()>& body) {
  const auto pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    std::signal(SIGABRT, SIG_DFL);
    ::close(STDERR_FILENO);
    body();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST_CASE("a failed check ends the process, in release builds too") {
  CHECK(aborts([] { check(false, "never"); }));
  CHECK_FALSE(aborts([] { check(true, "always"); }));
}

TEST_CASE("a budget that gets back more than it gave ends the process") {
  CHECK(aborts([] {
    byte_budget budget{10};
    budget.release(1);
  }));
}

TEST_CASE("a lease that grows in another budget ends the process") {
  CHECK(aborts([] {
    byte_budget one{10};
    byte_budget other{10};
    byte_lease lease;
    lease.grow_to(one, 1);
    lease.grow_to(other, 2);
  }));
}

} // namespace
} // namespace matchcloud::base
