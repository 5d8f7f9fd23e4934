// Packets of the haptic link: a header of 32 bytes and float64 numbers, all little-endian.
// docs/reference/haptic-protocol.md describes them; kinegen/devices/packets.py writes and reads the
// same.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernel/haptic/bounds.hpp"

namespace kinegen::python {

constexpr int MOST_NUMBERS = 72;
static_assert(STATE_COUNT <= MOST_NUMBERS);

struct Packet {
    uint32_t magic = PACKET_MAGIC;
    uint16_t kind = 0, count = 0;
    uint32_t sequence = 0, sequence_high = 0;
    double time = 0;  // of the sender's clock [s]
    double echo = 0;  // time of the last packet that the sender heard, 0: none
    double numbers[MOST_NUMBERS] = {};

    int size() const { return PACKET_HEADER + 8 * count; }
};
static_assert(sizeof(Packet) == PACKET_HEADER + 8 * MOST_NUMBERS);

}  // namespace kinegen::python
