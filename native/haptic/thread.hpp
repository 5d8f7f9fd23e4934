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

#include "haptic/clock.hpp"
#include "haptic/hand.hpp"
#include "haptic/session.hpp"
#include "kernel/haptic/point.hpp"
#include "haptic/udp_socket.hpp"

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

constexpr int COUNTS = 16;

// The state of the loop, for callers that read it.
struct HapticView {
    HapticHand hand;
    double force[6] = {}, p[3] = {}, u[6] = {};  // on the hand; the point
    double energy = 0, strength = 0, delay = 0;
    int64_t counts[COUNTS] = {};
    int32_t wrong_field = FIELD_FINE, gate_reason = GATE_OPEN;
};

// One port and its peer.
struct HapticEnd {
    UdpSocket socket;
    HapticSession session;
    Flood flood;
    uint64_t from = 0;      // of the packet that was opened last
    double their_time = 0;  // time stamp of the last good one
    int64_t unsent = 0, heard[HEARD_COUNT] = {};

    HapticEnd(const std::string& address, int port, const std::string& host, int host_port,
              const std::string& key)
        : socket(address, port), session(key) {
        bool is_near = UdpSocket::is_loopback(socket.place());
        if (!host.empty()) {
            const uint64_t peer = UdpSocket::place_of(host, host_port);
            session.fix(peer);
            is_near = is_near && UdpSocket::is_loopback(peer);
        }
        if (!is_near && !session.is_sealed())
            throw std::runtime_error(
                "a link that leaves this machine (" + (host.empty() ? address : host) +
                ") needs a key that both ends know: make one with `kinegen touch --new-key FILE` "
                "and give it with --key-file, key=, or KINEGEN_HAPTIC_KEY");
    }
    // The next packet whose sender is the peer or may become it; -1: none waits.
    int receive(Packet& packet, double now) {
        uint8_t bytes[ROOM_BYTES];
        const int size = socket.receive(bytes, sizeof bytes, from);
        return size < 0 ? -1 : session.open(bytes, size, from, now, packet);
    }
    void trust(const Packet& packet, double now) {
        their_time = packet.time;
        session.trust(from, now);
    }
    void send(Packet& packet, double now) {
        if (!session.has_peer()) return;
        uint8_t bytes[ROOM_BYTES];
        packet.time = now;
        packet.echo = their_time;
        if (!socket.send(bytes, session.seal(packet, bytes), session.peer())) ++unsent;
    }
};

class HapticLoop {
public:
    // is_empty: a thread that only keeps time, to compare with.
    HapticLoop(const HapticSettings& settings, double awake, bool is_empty)
        : awake_(awake), is_empty_(is_empty), late_(BINS + 1) {
        point_.set = settings;
    }
    HapticLoop(const HapticLoop&) = delete;
    ~HapticLoop() { stop(); }

    // The mechanism's end: packets come to our port; where ours go, or back to the sender.
    int link(const std::string& address, int port, const std::string& host, int host_port,
             const std::string& key) {
        return open(link_, address, port, host, host_port, key);
    }
    int device(const std::string& address, int port, const std::string& host, int host_port,
               const std::string& key) {
        return open(device_, address, port, host, host_port, key);
    }
    void hand(SimulatedHand hand) {
        const std::lock_guard<std::mutex> hold(life_);
        still();
        hand.begin();
        simulated_ = std::make_unique<SimulatedHand>(std::move(hand));
    }

    void start() {
        const std::lock_guard<std::mutex> hold(life_);
        still();
        stopping_ = false;
        // whoever spoke before has to introduce itself again
        for (HapticEnd* end : {link_.get(), device_.get()})
            if (end) end->session.reset();
        point_.is_torn = true;
        point_.locked_for = 0;
        has_device_ = false;
        thread_ = std::thread([this] { run(); });
        running_ = true;
    }
    void stop() {
        const std::lock_guard<std::mutex> hold(life_);
        if (!thread_.joinable()) return;
        stopping_ = true;
        thread_.join();
        running_ = false;
    }
    bool is_running() const { return running_; }

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
    std::unique_ptr<HapticEnd> link_, device_;
    std::unique_ptr<SimulatedHand> simulated_;
    std::thread thread_;
    std::mutex life_;  // for starting and stopping, one at a time
    std::atomic<bool> stopping_{false}, running_{false}, real_time_{false};
    std::atomic<int32_t> trouble_{TROUBLE_FINE};
    std::vector<std::atomic<uint32_t>> late_;
    std::atomic<double> latest_{0}, busiest_{0};
    std::mutex door_;  // the thread only ever tries it
    HapticSettings wanted_;
    bool has_wanted_ = false;
    HapticView shown_;

    // What the thread keeps to itself.
    HapticSequence device_order_;
    double device_at_ = -1e9;
    HapticHand hand_;
    double buttons_ = 0;
    bool has_device_ = false;
    int64_t flooded_ = 0, missed_ = 0;
    int32_t wrong_field_ = FIELD_FINE;

    void still() {
        if (thread_.joinable())
            throw std::runtime_error("the haptic loop is running: stop it first");
    }
    int open(std::unique_ptr<HapticEnd>& end, const std::string& address, int port,
             const std::string& host, int host_port, const std::string& key) {
        const std::lock_guard<std::mutex> hold(life_);
        still();
        end = std::make_unique<HapticEnd>(address, port, host, host_port, key);
        return end->socket.port();
    }

    // Nothing that goes wrong in the thread leaves a force behind.
    void run() {
        Trouble end = TROUBLE_STOPPED;
        try {
            ticks();
        } catch (...) {
            trouble_ = end = TROUBLE_BROKEN;
        }
        memset(point_.force, 0, sizeof point_.force);
        point_.strength = 0;
        for (int i = 0; i < 3; ++i) tell_device(clock_now(), end);
        const std::lock_guard<std::mutex> hold(door_);
        show();
    }

    void ticks() {
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
        Trouble trouble = TROUBLE_FINE;
        if (link_ && link_->flood.count(hear_link(now))) trouble = TROUBLE_DYNAMICS_FLOOD;
        if (device_) {
            hand_.is_measured = false;
            const bool is_flood = device_->flood.count(hear_device(now));
            const double age = now - device_at_;
            if (is_flood)
                trouble = TROUBLE_DEVICE_FLOOD;
            else if (!has_device_)
                trouble = TROUBLE_NO_DEVICE;
            // where the hand is by now is a guess: no force on a guess
            else if (age > s.horizon)
                trouble = TROUBLE_DEVICE_SILENT;
            else if (!hand_.is_measured)
                carry_on(s.step);
        } else if (simulated_) {
            simulated_->step(elapsed, s.step, point_.force);
            memcpy(hand_.x, simulated_->x, sizeof hand_.x);
            memcpy(hand_.v, simulated_->v, sizeof simulated_->v);
        }
        if (trouble == TROUBLE_DYNAMICS_FLOOD || trouble == TROUBLE_DEVICE_FLOOD) ++flooded_;
        haptic_tick(point_, now, hand_, trouble != TROUBLE_FINE);
        if (trouble == TROUBLE_FINE && !point_.has_word) trouble = TROUBLE_NO_DYNAMICS;
        if (trouble == TROUBLE_FINE && now - point_.heard_at > s.silence)
            trouble = TROUBLE_DYNAMICS_SILENT;
        // these stay visible for a while
        if (trouble == TROUBLE_FINE && now - point_.jumped_at < s.silence)
            trouble = TROUBLE_DEVICE_JUMPED;
        if (now - point_.refused_at < s.silence) trouble = TROUBLE_FORCE_REFUSED;
        trouble_ = trouble;
        tell_link(now);
        tell_device(now, trouble);
        std::unique_lock<std::mutex> hold(door_, std::try_to_lock);
        if (hold) show();
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
            int heard = link_->receive(packet, now);
            if (heard < 0) break;
            if (heard == HEARD_NEW) {
                heard = HEARD_BAD;
                if (packet.kind == PACKET_STATE && packet.count == STATE_COUNT) {
                    heard = haptic_hear(point_, packet.sequence, now, packet.echo, packet.numbers);
                    if (heard == HEARD_NEW)
                        link_->trust(packet, now);
                    else
                        continue;  // counted there
                }
            }
            ++link_->heard[heard];
        }
        link_->session.watch(now);
        return count;
    }

    int hear_device(double now) {
        Packet packet;
        int count = 0;
        for (; count < MOST_PER_TICK; ++count) {
            int heard = device_->receive(packet, now);
            if (heard < 0) break;
            if (heard == HEARD_NEW) heard = take(packet, now);
            ++device_->heard[heard];
        }
        device_->session.watch(now);
        return count;
    }

    // Where a device says that the hand is.
    Heard take(const Packet& packet, double now) {
        const bool has_turn = packet.kind == PACKET_DEVICE6;
        if (!(has_turn ? packet.count == DEVICE6_COUNT
                       : packet.kind == PACKET_DEVICE && packet.count == DEVICE_COUNT))
            return HEARD_BAD;
        const double* from = packet.numbers;
        HapticHand hand;
        hand.has_turn = has_turn;
        memcpy(hand.x, from, sizeof hand.x);
        memcpy(hand.v, from + 3, 3 * sizeof(double));
        memcpy(hand.turn, from + 6, sizeof hand.turn);
        if (has_turn) memcpy(hand.v + 3, from + 10, 3 * sizeof(double));
        const double buttons = from[has_turn ? 13 : 10];
        WrongField wrong = haptic_wrong_hand(hand);
        if (wrong == FIELD_FINE && !(buttons >= 0 && buttons < 4294967296.0)) wrong = FIELD_BUTTONS;
        if (wrong == FIELD_FINE && !(fabs(packet.time) <= TIME_MOST)) wrong = FIELD_TIME;
        if (wrong != FIELD_FINE) {
            wrong_field_ = wrong;
            return HEARD_WRONG;
        }
        quat_normalize(hand.turn);
        const bool is_silent = now - device_at_ > point_.set.silence;
        bool is_restart = false;
        if (!device_order_.next(packet.sequence, is_silent || !has_device_, is_restart))
            return HEARD_OLD;
        // a device that comes back starts again: the way it made meanwhile is nobody's work
        if (is_restart || has_turn != hand_.has_turn) point_.is_torn = true;
        hand_ = hand;
        buttons_ = buttons;
        device_at_ = now;
        has_device_ = true;
        device_->trust(packet, now);
        return HEARD_NEW;
    }

    void tell_link(double now) {
        if (!link_) return;
        Packet out;
        out.kind = PACKET_HAND;
        out.count = HAND_COUNT;
        double* to = out.numbers;
        memcpy(to, hand_.x, sizeof hand_.x);
        memcpy(to + 3, hand_.v, 3 * sizeof(double));
        memcpy(to + 6, hand_.turn, sizeof hand_.turn);
        memcpy(to + 10, hand_.v + 3, 3 * sizeof(double));
        memcpy(to + 13, point_.force, sizeof point_.force);
        to[19] = point_.ledger.total;
        to[20] = buttons_;
        to[21] = hand_.has_turn ? 6 : 3;
        link_->send(out, now);
    }

    void tell_device(double now, Trouble trouble) {
        if (!device_) return;
        Packet out;
        const int dof = hand_.has_turn ? 6 : 3;
        out.kind = hand_.has_turn ? PACKET_FORCE6 : PACKET_FORCE;
        out.count = (uint16_t)(hand_.has_turn ? FORCE6_COUNT : FORCE_COUNT);
        memcpy(out.numbers, point_.force, (size_t)dof * sizeof(double));
        out.numbers[dof] = trouble;
        device_->send(out, now);
    }

    // With the door held.
    void show() {
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
        shown_.energy = point_.ledger.total;
        shown_.strength = point_.strength;
        shown_.delay = point_.delay;
        shown_.wrong_field = wrong_field_ ? wrong_field_ : point_.wrong_field;
        shown_.gate_reason = point_.gate_reason;
        int64_t heard[HEARD_COUNT] = {}, unsent = 0;
        for (const HapticEnd* end : {link_.get(), device_.get()}) {
            if (!end) continue;
            for (int i = 0; i < HEARD_COUNT; ++i) heard[i] += end->heard[i];
            unsent += end->unsent;
        }
        const int64_t sent = link_ ? (int64_t)link_->session.sent() : 0;
        const int64_t counts[COUNTS] = {point_.ticks,
                                        point_.fresh,
                                        point_.reused,
                                        point_.old + heard[HEARD_OLD],
                                        point_.bad + heard[HEARD_BAD],
                                        point_.limited,
                                        flooded_,
                                        missed_,
                                        sent,
                                        point_.wrong + heard[HEARD_WRONG],
                                        heard[HEARD_STRANGER],
                                        heard[HEARD_UNPROVEN],
                                        heard[HEARD_WAITING],
                                        unsent,
                                        point_.gated,
                                        point_.jumps};
        memcpy(shown_.counts, counts, sizeof counts);
    }
};

}  // namespace kinegen::python
