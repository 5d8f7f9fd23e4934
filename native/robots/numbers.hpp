// Numbers in robot files: decimal ones, separated by white space.
#pragma once

#include <math.h>
#include <stdlib.h>

#include <charconv>
#include <string>
#include <string_view>
#include <version>

namespace kinegen {

// Reads one number at the beginning; how many characters it has, 0 where there is none.
// Rounded correctly, as Python's float(). Infinities and numbers beyond the range are declined.
inline size_t read_number(std::string_view text, double& out) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    size_t end = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    const size_t begin = !text.empty() && text[0] == '+' ? 1 : 0;
    size_t digits = 0;
    while (end < text.size() && is_digit(text[end])) ++end, ++digits;
    if (end < text.size() && text[end] == '.') {
        ++end;
        while (end < text.size() && is_digit(text[end])) ++end, ++digits;
    }
    if (!digits) return 0;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        size_t power = end + 1;
        if (power < text.size() && (text[power] == '+' || text[power] == '-')) ++power;
        if (power >= text.size() || !is_digit(text[power])) return 0;
        while (power < text.size() && is_digit(text[power])) ++power;
        end = power;
    }
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, out);
    return error == std::errc() && stop == text.data() + end ? end : 0;
#else
    const std::string copy(text.substr(begin, end - begin));  // its end is marked
    char* stop = nullptr;
    out = strtod(copy.c_str(), &stop);
    return stop == copy.c_str() + copy.size() && isfinite(out) ? end : 0;
#endif
}

// Whether a text is exactly so many numbers whose sum is finite.
inline bool read_numbers(std::string_view text, int count, double* out) {
    const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    size_t at = 0;
    int found = 0;
    double sum = 0;
    while (true) {
        const size_t before = at;
        while (at < text.size() && is_space(text[at])) ++at;
        if (at == text.size()) return found == count && isfinite(sum);
        if (found == count || (found && at == before)) return false;
        const size_t length = read_number(text.substr(at), out[found]);
        if (!length) return false;
        sum += out[found++];
        at += length;
    }
}

}  // namespace kinegen
