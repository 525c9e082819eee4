#include "tests/http/tls/tls_stream_law.hpp"

#include <cstdio>
#include <cstdlib>

// Each input makes and frees megabytes, which AddressSanitizer would keep.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=16";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(bytes), size};
  if (const auto why = matchcloud::tls_stream_law::check(input); !why.empty()) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::abort();
  }
  return 0;
}
