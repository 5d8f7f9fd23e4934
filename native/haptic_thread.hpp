// The haptic loop: a thread of its own between a device and a mechanism. It never waits for the
// network, for Python or for a lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "haptic_clock.hpp"
#include "haptic_hand.hpp"
#include "haptic_packet.hpp"
#include "kernel/haptic_point.hpp"
#include "udp_socket.hpp"

namespace kinegen::python {

static_assert(std::endian::native == std::endian::little, "packets are little-endian");

constexpr int BINS = 20000;            // lateness, 1 µs each; the last one takes all beyond
constexpr int MOST_PER_TICK = 32;      // packets that are read in one tick
constexpr double FLOOD_PER_TICK = 8;   // packets per tick, on average, that are a flood
constexpr double FLOOD_MEMORY = 0.02;  // share of the newest tick in that average

// Average number of packets per tick, and whether that is a flood.
struct Flood {
    double rate = 0;
    bool count(int packets) {
        rate += FLOOD_MEMORY * (packets - rate);
        return rate > FLOOD_PER_TICK;
    }
};

enum Trouble : int32_t {
    FINE = 0,
    NO_DYNAMICS = 1,      // the mechanism never spoke
    DYNAMICS_SILENT = 2,  // it did, and stopped
    DYNAMICS_FLOOD = 3,
    NO_DEVICE = 4,
    DEVICE_SILENT = 5,
    DEVICE_FLOOD = 6
};

// How the loop stands, for those who look.
struct HapticView {
    HapticHand hand;
    double force[6] = {}, p[3] = {}, u[6] = {};  // on the hand; the point
    double energy = 0, strength = 0, delay = 0;
    int64_t counts[9] = {};
};

// Whether four numbers are about a quaternion of length 1.
inline bool is_turn(const double* quat) {
    const double square = haptic_dot(quat + 1, quat + 1) + quat[0] * quat[0];
    return square > 0.25 && square < 4;
}

class HapticLoop {
public:
    // is_empty: a thread that only keeps time, to compare with.
    HapticLoop(const HapticSettings& settings, double awake, bool is_empty)
        : awake_(awake), is_empty_(is_empty), late_(BINS + 1) {
        point_.set = settings;
    }
    HapticLoop(const HapticLoop&) = delete;
    ~HapticLoop() { stop(); }

    // The mechanism's end: packets come to our port; where ours go, or back to who speaks.
    int link(const std::string& address, int port, const std::string& host, int host_port) {
        return open(link_, address, port, host, host_port);
    }
    int device(const std::string& address, int port, const std::string& host, int host_port) {
        return open(device_, address, port, host, host_port);
    }
    void hand(SimulatedHand hand) {
        still();
        hand.begin();
        simulated_ = std::make_unique<SimulatedHand>(std::move(hand));
    }

    void start() {
        still();
        stopping_ = false;
        thread_ = std::thread([this] { run(); });
    }
    void stop() {
        if (!thread_.joinable()) return;
        stopping_ = true;
        thread_.join();
    }
    bool is_running() const { return thread_.joinable(); }

    // Settings take effect at the next tick.
    void set(const HapticSettings& settings) {
        const std::lock_guard<std::mutex> hold(door_);
        wanted_ = settings;
        has_wanted_ = true;
    }

    // What the thread showed last.
    HapticView view() {
        const std::lock_guard<std::mutex> hold(door_);
        return shown_;
    }
    int trouble() const { return trouble_; }
    bool is_real_time() const { return real_time_; }
    std::vector<int32_t> lateness() const {
        std::vector<int32_t> out(late_.size());
        for (size_t i = 0; i < out.size(); ++i) out[i] = (int32_t)late_[i].load();
        return out;
    }
    double latest() const { return latest_; }
    double busiest() const { return busiest_; }

private:
    HapticPoint point_;
    double awake_;
    bool is_empty_;
    std::unique_ptr<UdpSocket> link_, device_;
    std::unique_ptr<SimulatedHand> simulated_;
    std::thread thread_;
    std::atomic<bool> stopping_{false}, real_time_{false};
    std::atomic<int32_t> trouble_{FINE};
    std::vector<std::atomic<uint32_t>> late_;
    std::atomic<double> latest_{0}, busiest_{0};
    std::mutex door_;  // the thread only ever tries it
    HapticSettings wanted_;
    bool has_wanted_ = false;
    HapticView shown_;

    // What the thread keeps to itself.
    Flood link_flood_, device_flood_;
    uint32_t sent_ = 0, device_heard_ = 0, forces_ = 0;
    double link_time_ = 0, device_time_ = 0, device_at_ = -1e9;
    HapticHand hand_;
    double buttons_ = 0;
    bool has_device_ = false;
    int64_t bad_ = 0, flooded_ = 0, missed_ = 0;

    void still() {
        if (thread_.joinable())
            throw std::runtime_error("the haptic loop is running: stop it first");
    }
    int open(std::unique_ptr<UdpSocket>& socket, const std::string& address, int port,
             const std::string& host, int host_port) {
        still();
        auto made = std::make_unique<UdpSocket>(address, port);
        if (!host.empty()) made->aim(host, host_port);
        socket = std::move(made);
        return socket->port();
    }

    void run() {
        real_time_ = ask_for_real_time();
        const double dt = point_.set.step, begin = clock_now() + dt;
        double next = begin;
        while (!stopping_) {
            const double now = wait_until(next, awake_);
            const double late = now - next;
            ++late_[(size_t)std::min<double>(late * 1e6, BINS)];
            if (late > latest_) latest_ = late;
            if (!is_empty_) tick(now, now - begin);
            const double busy = clock_now() - now;
            if (busy > busiest_) busiest_ = busy;
            next += dt;
            // a machine that slept: ticks that are long past are not made up for
            if (now - next > 10 * dt) {
                const double skipped = std::floor((now - next) / dt);
                missed_ += (int64_t)skipped;
                next += skipped * dt;
            }
        }
    }

    void tick(double now, double elapsed) {
        const HapticSettings& s = point_.set;
        bool is_flood = link_ && link_flood_.count(hear_link(now));
        Trouble trouble = FINE;
        if (is_flood) trouble = DYNAMICS_FLOOD;
        if (device_) {
            if (device_flood_.count(hear_device(now))) trouble = DEVICE_FLOOD;
            else if (!has_device_) trouble = NO_DEVICE;
            else if (now - device_at_ > s.silence) trouble = DEVICE_SILENT;
            else if (now - device_at_ < s.horizon)
                carry_on(s.step);
        } else if (simulated_) {
            simulated_->step(elapsed, s.step, point_.force);
            memcpy(hand_.x, simulated_->x, sizeof hand_.x);
            memcpy(hand_.v, simulated_->v, sizeof simulated_->v);
        }
        if (trouble == DYNAMICS_FLOOD || trouble == DEVICE_FLOOD) ++flooded_;
        haptic_tick(point_, now, hand_, trouble != FINE);
        if (trouble == FINE && !point_.has_word) trouble = NO_DYNAMICS;
        if (trouble == FINE && now - point_.heard_at > s.silence) trouble = DYNAMICS_SILENT;
        trouble_ = trouble;
        answer(now);
        show();
    }

    // Between two packets of a device.
    void carry_on(double seconds) {
        for (int i = 0; i < 3; ++i) hand_.x[i] += seconds * hand_.v[i];
        if (hand_.has_turn) haptic_turn(hand_.turn, hand_.v + 3, seconds);
    }

    int hear_link(double now) {
        Packet packet;
        int count = 0;
        for (; count < MOST_PER_TICK; ++count) {
            const int bytes = link_->receive(&packet, sizeof packet);
            if (bytes < 0) break;
            if (!is_packet(packet, bytes, PACKET_STATE, STATE_COUNT)) {
                ++bad_;
                continue;
            }
            if (haptic_hear(point_, packet.sequence, now, packet.echo, packet.numbers) == HEARD_NEW) {
                link_time_ = packet.time;
                link_->trust();
            }
        }
        return count;
    }

    int hear_device(double now) {
        Packet packet;
        int count = 0;
        for (; count < MOST_PER_TICK; ++count) {
            const int bytes = device_->receive(&packet, sizeof packet);
            if (bytes < 0) break;
            const bool has_turn = packet.kind == PACKET_DEVICE6;
            if (!(has_turn ? is_packet(packet, bytes, PACKET_DEVICE6, DEVICE6_COUNT) &&
                                 is_turn(packet.numbers + 6)
                           : is_packet(packet, bytes, PACKET_DEVICE, DEVICE_COUNT))) {
                ++bad_;
                continue;
            }
            const bool is_silent = now - device_at_ > point_.set.silence;
            if (has_device_ && !is_silent && (int32_t)(packet.sequence - device_heard_) <= 0) {
                ++point_.old;
                continue;
            }
            take(packet, has_turn);
            device_heard_ = packet.sequence;
            device_time_ = packet.time;
            device_at_ = now;
            // a device that comes back starts anew: the way it made meanwhile is nobody's work
            if (!has_device_ || is_silent || has_turn != hand_.has_turn) point_.has_hand = false;
            hand_.has_turn = has_turn;
            has_device_ = true;
            device_->trust();
        }
        return count;
    }

    void take(const Packet& packet, bool has_turn) {
        const double* from = packet.numbers;
        memcpy(hand_.x, from, sizeof hand_.x);
        memcpy(hand_.v, from + 3, 3 * sizeof(double));
        if (is_turn(from + 6)) memcpy(hand_.turn, from + 6, sizeof hand_.turn);
        quat_normalize(hand_.turn);
        for (int i = 0; i < 3; ++i) hand_.v[3 + i] = has_turn ? from[10 + i] : 0;
        buttons_ = from[has_turn ? 13 : 10];
    }

    void answer(double now) {
        if (link_ && link_->has_peer()) {
            Packet out;
            out.kind = PACKET_HAND;
            out.count = HAND_COUNT;
            out.sequence = ++sent_;
            out.time = now;
            out.echo = link_time_;
            double* to = out.numbers;
            memcpy(to, hand_.x, sizeof hand_.x);
            memcpy(to + 3, hand_.v, 3 * sizeof(double));
            memcpy(to + 6, hand_.turn, sizeof hand_.turn);
            memcpy(to + 10, hand_.v + 3, 3 * sizeof(double));
            memcpy(to + 13, point_.force, sizeof point_.force);
            to[19] = point_.given + point_.forgotten;
            to[20] = buttons_;
            to[21] = hand_.has_turn ? 6 : 3;
            link_->send(&out, out.size());
        }
        if (device_ && device_->has_peer()) {
            Packet out;
            const int freedoms = hand_.has_turn ? 6 : 3;
            out.kind = hand_.has_turn ? PACKET_FORCE6 : PACKET_FORCE;
            out.count = hand_.has_turn ? FORCE6_COUNT : FORCE_COUNT;
            out.sequence = ++forces_;
            out.time = now;
            out.echo = device_time_;
            memcpy(out.numbers, point_.force, freedoms * sizeof(double));
            out.numbers[freedoms] = trouble_;
            device_->send(&out, out.size());
        }
    }

    void show() {
        std::unique_lock<std::mutex> hold(door_, std::try_to_lock);
        if (!hold) return;
        if (has_wanted_) {
            const double step = point_.set.step;  // the rate stays
            point_.set = wanted_;
            point_.set.step = step;
            has_wanted_ = false;
        }
        shown_.hand = hand_;
        memcpy(shown_.force, point_.force, sizeof point_.force);
        memcpy(shown_.p, point_.p, sizeof point_.p);
        memcpy(shown_.u, point_.u, sizeof point_.u);
        shown_.energy = point_.given + point_.forgotten;
        shown_.strength = point_.strength;
        shown_.delay = point_.delay;
        const int64_t counts[9] = {point_.ticks, point_.fresh, point_.reused, point_.old,
                                   point_.bad + bad_, point_.limited, flooded_, missed_, sent_};
        memcpy(shown_.counts, counts, sizeof counts);
    }
};

}  // namespace kinegen::python
