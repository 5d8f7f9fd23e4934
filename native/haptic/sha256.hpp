// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for packets of the haptic link: its thread has
// no Python in its loop, and a library for 80 lines would have to be built on three systems.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace kinegen::python {

class Sha256 {
public:
    static constexpr int BLOCK = 64, SIZE = 32;

    void add(const void* bytes, size_t count) {
        const uint8_t* from = static_cast<const uint8_t*>(bytes);
        length_ += count;
        while (count > 0) {
            const size_t room = BLOCK - filled_, part = count < room ? count : room;
            memcpy(block_ + filled_, from, part);
            filled_ += part;
            from += part;
            count -= part;
            if (filled_ == BLOCK) {
                mix();
                filled_ = 0;
            }
        }
    }
    // The digest of all that was added; nothing is added afterwards.
    void finish(uint8_t* digest) {
        const uint64_t bits = 8 * length_;
        const uint8_t end = 0x80, zero = 0;
        add(&end, 1);
        while (filled_ != BLOCK - 8) add(&zero, 1);
        uint8_t size[8];
        for (int i = 0; i < 8; ++i) size[i] = (uint8_t)(bits >> (56 - 8 * i));
        add(size, 8);
        for (int i = 0; i < SIZE; ++i) digest[i] = (uint8_t)(state_[i / 4] >> (24 - 8 * (i % 4)));
    }

private:
    uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t block_[BLOCK];
    size_t filled_ = 0;
    uint64_t length_ = 0;

    static uint32_t turned(uint32_t x, int by) { return x >> by | x << (32 - by); }

    void mix() {
        static constexpr uint32_t K[64] = {
            0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
            0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
            0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
            0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
            0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
            0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
            0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
            0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
            0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
            0xc67178f2};
        uint32_t w[64];
        for (int i = 0; i < 16; ++i)
            w[i] = (uint32_t)block_[4 * i] << 24 | (uint32_t)block_[4 * i + 1] << 16 |
                   (uint32_t)block_[4 * i + 2] << 8 | block_[4 * i + 3];
        for (int i = 16; i < 64; ++i) {
            const uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] +
                   (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
        }
        uint32_t s[8];
        memcpy(s, state_, sizeof s);
        for (int i = 0; i < 64; ++i) {
            const uint32_t one = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) +
                                 ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[i] + w[i];
            const uint32_t two = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) +
                                 ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof *s);
            s[4] += one;
            s[0] = one + two;
        }
        for (int i = 0; i < 8; ++i) state_[i] += s[i];
    }
};

// A key, ready to make tags with.
class Hmac {
public:
    Hmac(const void* key, size_t count) {
        uint8_t short_key[Sha256::BLOCK] = {};
        if (count > Sha256::BLOCK) {
            Sha256 digest;
            digest.add(key, count);
            digest.finish(short_key);
        } else if (count > 0) {
            memcpy(short_key, key, count);
        }
        uint8_t pad[Sha256::BLOCK];
        for (int i = 0; i < Sha256::BLOCK; ++i) pad[i] = short_key[i] ^ 0x36;
        inner_.add(pad, sizeof pad);
        for (int i = 0; i < Sha256::BLOCK; ++i) pad[i] = short_key[i] ^ 0x5c;
        outer_.add(pad, sizeof pad);
    }
    void tag(const void* bytes, size_t count, uint8_t* out) const {
        Sha256 inner = inner_, outer = outer_;
        inner.add(bytes, count);
        inner.finish(out);
        outer.add(out, Sha256::SIZE);
        outer.finish(out);
    }

private:
    Sha256 inner_, outer_;
};

// Compares without saying by its time where the first difference is.
inline bool is_same(const uint8_t* a, const uint8_t* b, size_t count) {
    volatile uint8_t difference = 0;
    for (size_t i = 0; i < count; ++i) difference = difference | (a[i] ^ b[i]);
    return difference == 0;
}

}  // namespace kinegen::python
