// Packets of the haptic link: a header of 32 bytes and float64 numbers, all little-endian.
// docs/devices.md describes them; kinegen/devices/packets.py writes and reads the same.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernel/haptic/bounds.hpp"

namespace kinegen::python {

enum PacketKind : uint16_t {
    PACKET_HAND = 1,
    PACKET_STATE = 2,
    PACKET_DEVICE = 3,  // of three degrees of freedom
    PACKET_FORCE = 4,
    PACKET_DEVICE6 = 5,  // of six
    PACKET_FORCE6 = 6
};

// position, velocity, quaternion, angular velocity, force, torque, energy, buttons, degrees of
// freedom
constexpr int HAND_COUNT = 22;
constexpr int DEVICE_COUNT = 11;   // position, velocity, quaternion, buttons
constexpr int DEVICE6_COUNT = 14;  // the same, with the angular velocity before the buttons
constexpr int FORCE_COUNT = 4;     // force, trouble
constexpr int FORCE6_COUNT = 7;    // force, torque, trouble
constexpr int HEADER_BYTES = 32, MOST_NUMBERS = 72;
constexpr uint32_t MAGIC = 0x3148474b;         // "KGH1"
constexpr uint32_t MAGIC_SEALED = 0x3248474b;  // "KGH2": with a tag
static_assert(STATE_COUNT <= MOST_NUMBERS);

struct Packet {
    uint32_t magic = MAGIC;
    uint16_t kind = 0, count = 0;
    uint32_t sequence = 0, sequence_high = 0;
    double time = 0;  // of the sender's clock [s]
    double echo = 0;  // time of the last packet that the sender heard, 0: none
    double numbers[MOST_NUMBERS] = {};

    int size() const { return HEADER_BYTES + 8 * count; }
};
static_assert(sizeof(Packet) == HEADER_BYTES + 8 * MOST_NUMBERS);

}  // namespace kinegen::python
