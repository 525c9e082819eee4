#pragma once

// Included here because RapidJSON includes it, where the attribute below would apply to the
// standard library.
#include <iterator>

// Scans white space and strings 16 bytes at a time. They are aligned, so that a scan never leaves the
// page that it is in, but it may read beyond the end of the text: see `scan_room_bytes`.
#ifdef __SSE2__
#define RAPIDJSON_SSE2
#endif

// The parts of RapidJSON that the product uses. RapidJSON's stack adds to a null pointer before its
// first allocation, which clang's UBSan reports: these headers alone are exempt from that check.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/document.h>
#include <rapidjson/error/error.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#ifdef __clang__
#pragma clang attribute pop
#endif
