// One end of a UDP conversation: the address of the peer, and the proof of its identity.
// kinegen/devices/session.py is the same; docs/reference/haptic-protocol.md describes it.
//
// The first sender of a sensible packet is the peer until it has been silent for long.
// With a key every packet ends with the sender's number of this session, the receiver's as the
// sender knows it, and a tag over all that comes before. A packet counts only when it holds our own
// number: it was made after we chose it, so it is no replay.
#pragma once

#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "haptic/packet.hpp"
#include "haptic/sha256.hpp"

namespace kinegen::python {

constexpr int TAG_BYTES = 16, TAIL_BYTES = 16 + TAG_BYTES;
constexpr int ROOM_BYTES = (int)sizeof(Packet) + TAIL_BYTES;  // more than any packet has
constexpr size_t LEAST_KEY = 16;
// Silence [s] after which another sender may become the peer, and a session ends.
constexpr double PIN_TIME = 1.0;

class HapticSession {
public:
    explicit HapticSession(const std::string& key) {
        if (key.empty()) return;
        if (key.size() < LEAST_KEY) throw std::runtime_error("a key has at least 16 bytes");
        hmac_.emplace(key.data(), key.size());
        renew();
    }
    bool is_sealed() const { return hmac_.has_value(); }

    // The peer is at one address for good.
    void fix(uint64_t address) {
        peer_ = address;
        is_fixed_ = has_peer_ = true;
    }
    bool has_peer() const { return has_peer_; }
    uint64_t peer() const { return peer_; }

    // Forgets the peer.
    void reset() {
        has_peer_ = is_fixed_;
        is_met_ = false;
        their_number_ = 0;
        if (is_sealed()) renew();
    }
    // Once per tick: a peer that fell silent has to introduce itself again.
    void watch(double now) {
        if (is_met_ && now - trusted_at_ > PIN_TIME) reset();
    }

    // A packet out of bytes; HEARD_NEW: its numbers may be read.
    Heard open(const uint8_t* bytes, int size, uint64_t from, double now, Packet& packet) {
        const int tail = is_sealed() ? TAIL_BYTES : 0, inside = size - tail;
        if (size >= PACKET_HEADER) memcpy((void*)&packet, bytes, PACKET_HEADER);
        if (size < PACKET_HEADER || inside > (int)sizeof packet) return HEARD_BAD;
        const bool is_ours = packet.magic == PACKET_MAGIC || packet.magic == PACKET_MAGIC_SEALED;
        if (!is_ours) return HEARD_BAD;
        if ((packet.magic == PACKET_MAGIC_SEALED) != is_sealed()) return HEARD_UNPROVEN;
        if (packet.count > MOST_NUMBERS || inside != packet.size() ||
            (!is_sealed() && packet.sequence_high != 0))
            return HEARD_BAD;
        // before the work of a proof
        if ((is_met_ || is_fixed_) && from != peer_) return HEARD_STRANGER;
        memcpy(&packet, bytes, inside);
        if (is_sealed()) {
            const Heard heard = prove(bytes, size, from, now, packet);
            if (heard != HEARD_NEW) return heard;
        }
        double sum = packet.time * 0 + packet.echo * 0;
        for (int i = 0; i < packet.count; ++i) sum += packet.numbers[i] * 0;
        return sum == 0 ? HEARD_NEW : HEARD_BAD;
    }
    // What was opened last made sense: its sender is the peer.
    void trust(uint64_t from, double now) {
        peer_ = from;
        has_peer_ = is_met_ = true;
        trusted_at_ = now;
    }

    // The bytes of a packet; their count.
    int seal(Packet& packet, uint8_t* bytes) {
        ++sent_;
        packet.magic = is_sealed() ? PACKET_MAGIC_SEALED : PACKET_MAGIC;
        packet.sequence = (uint32_t)sent_;
        packet.sequence_high = is_sealed() ? (uint32_t)(sent_ >> 32) : 0;
        const int size = packet.size();
        memcpy(bytes, &packet, size);
        if (!is_sealed()) return size;
        memcpy(bytes + size, &our_number_, 8);
        memcpy(bytes + size + 8, &their_number_, 8);
        uint8_t tag[Sha256::SIZE];
        hmac_->tag(bytes, size + 16, tag);
        memcpy(bytes + size + 16, tag, TAG_BYTES);
        return size + TAIL_BYTES;
    }
    uint64_t sent() const { return sent_; }

private:
    std::optional<Hmac> hmac_;
    uint64_t peer_ = 0, sent_ = 0, heard_ = 0;
    uint64_t our_number_ = 0, their_number_ = 0;  // of this session; 0: not known
    double trusted_at_ = -1e9;
    bool is_fixed_ = false, has_peer_ = false;
    bool is_met_ = false;  // whether the peer has spoken

    void renew() {
        std::random_device random;
        do our_number_ = (uint64_t)random() << 32 | random();
        while (our_number_ == 0);
    }

    Heard prove(const uint8_t* bytes, int size, uint64_t from, double now, const Packet& packet) {
        uint8_t tag[Sha256::SIZE];
        hmac_->tag(bytes, size - TAG_BYTES, tag);
        if (!is_same(tag, bytes + size - TAG_BYTES, TAG_BYTES)) return HEARD_UNPROVEN;
        uint64_t theirs = 0, ours = 0;
        memcpy(&theirs, bytes + size - TAIL_BYTES, 8);
        memcpy(&ours, bytes + size - TAIL_BYTES + 8, 8);
        const uint64_t sequence = (uint64_t)packet.sequence_high << 32 | packet.sequence;
        if (ours != our_number_ || theirs == 0) {
            // a greeting, or a replay: it is answered at most
            if (!is_met_ && theirs != 0) {
                their_number_ = theirs;
                if (!is_fixed_) peer_ = from;
                has_peer_ = true;
            }
            return HEARD_WAITING;
        }
        if (is_met_ && theirs != their_number_) return HEARD_WAITING;
        if (is_met_ && sequence <= heard_) return HEARD_OLD;
        their_number_ = theirs;
        heard_ = sequence;
        trust(from, now);
        return HEARD_NEW;
    }
};

}  // namespace kinegen::python
