#pragma once

// Included here because RapidJSON includes it, where the attribute below would apply to the
// standard library.
#include <iterator>

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
