// The haptic loop for Python: a thread of its own that never waits for Python or the network.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#ifdef __linux__
#include <time.h>
#endif
#ifndef _WIN32
#include <pthread.h>
#include <sched.h>
#endif

#include "haptic_packet.hpp"
#include "kernel/haptic_point.hpp"
#include "python_arrays.hpp"
#include "udp_socket.hpp"

using namespace kinegen;
using namespace kinegen::python;

static_assert(std::endian::native == std::endian::little, "packets are little-endian");

namespace {

constexpr int BINS = 20000;            // lateness, 1 µs each; the last one takes all beyond
constexpr int MOST_PER_TICK = 32;      // packets that are read in one tick
constexpr double FLOOD_PER_TICK = 8;   // packets per tick, on average, that are a flood
constexpr double FLOOD_MEMORY = 0.02;  // share of the newest tick in that average

HapticSettings settings_in(nb::handle numbers) {
    const Borrowed given(numbers, "settings");
    HapticSettings s;
    static_assert(sizeof s == HAPTIC_SETTINGS * sizeof(double));
    memcpy(&s, given.numbers<double>(HAPTIC_SETTINGS), sizeof s);
    return s;
}

nb::object numbers_of(const double* from, size_t count) {
    return new_array(std::vector<double>(from, from + count), {count});
}

// One point, stepped by Python: for tests and for loops of one's own.
class BoundPoint {
public:
    explicit BoundPoint(nb::handle settings) { point_.set = settings_in(settings); }

    int hear(uint32_t sequence, double now, double echo, nb::handle told) {
        const Borrowed given(told, "told");
        return haptic_hear(point_, sequence, now, echo, given.numbers<double>(STATE_COUNT));
    }
    nb::object tick(double now, nb::handle x, nb::handle v, bool is_faulty) {
        const Borrowed place(x, "x"), speed(v, "v");
        haptic_tick(point_, now, place.numbers<double>(3), speed.numbers<double>(3), is_faulty);
        return numbers_of(point_.force, 3);
    }
    nb::object state() const {
        const HapticPoint& h = point_;
        std::vector<double> out(h.p, h.p + 3);
        out.insert(out.end(), h.u, h.u + 3);
        return nb::make_tuple(new_array(std::move(out), {6}), h.strength, h.given + h.forgotten,
                              h.removed, h.delay);
    }
    nb::object counts() const {
        const HapticPoint& h = point_;
        return nb::make_tuple(h.ticks, h.fresh, h.reused, h.old, h.bad, h.limited);
    }

private:
    HapticPoint point_;
};

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

// A simulated hand: a mass held by a spring and a damper to a place that moves as a table says.
struct Hand {
    std::vector<double> table;  // rows: time, x, y, z
    double mass = 0.2, stiffness = 300, damping = 8;
    double x[3] = {}, v[3] = {};

    void wanted(double t, double* place, double* speed) const {
        const size_t rows = table.size() / 4;
        size_t i = 0;
        while (i + 1 < rows && table[4 * (i + 1)] <= t) ++i;
        for (int c = 0; c < 3; ++c) {
            place[c] = table[4 * i + 1 + c];
            speed[c] = 0;
        }
        if (i + 1 < rows && t > table[4 * i]) {
            const double span = table[4 * (i + 1)] - table[4 * i], s = (t - table[4 * i]) / span;
            for (int c = 0; c < 3; ++c) {
                const double rise = table[4 * (i + 1) + 1 + c] - place[c];
                place[c] += s * rise;
                speed[c] = rise / span;
            }
        }
    }
    void begin() { wanted(table[0], x, v); }
    void step(double t, double dt, const double* force) {
        double place[3], speed[3];
        wanted(t, place, speed);
        // implicit in the hand's own spring
        const double a = 1 + dt * (damping + dt * stiffness) / mass;
        for (int c = 0; c < 3; ++c) {
            const double f = force[c] + stiffness * (place[c] - x[c]) + damping * speed[c];
            v[c] = (v[c] + dt * f / mass) / a;
            x[c] += dt * v[c];
        }
    }
};

double clock_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Sleeps until a moment, the last stretch awake; returns the time it really is.
double wait_until(double moment, double awake) {
    const double sleep_to = moment - awake;
    if (clock_now() < sleep_to) {
#ifdef __linux__
        timespec at;
        at.tv_sec = (time_t)sleep_to;
        at.tv_nsec = (long)((sleep_to - (double)at.tv_sec) * 1e9);
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) {
        }
#else
        using namespace std::chrono;
        std::this_thread::sleep_until(steady_clock::time_point(
            duration_cast<steady_clock::duration>(duration<double>(sleep_to))));
#endif
    }
    double now = clock_now();
    while (now < moment) now = clock_now();
    return now;
}

bool ask_for_real_time() {
#ifdef _WIN32
    return SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL) != 0;
#else
    sched_param wanted{};
    wanted.sched_priority = 20;
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0;
#endif
}

class HapticLoop {
public:
    // is_empty: a thread that only keeps time, to compare with.
    HapticLoop(nb::handle settings, double awake, bool is_empty)
        : awake_(awake), is_empty_(is_empty), late_(BINS + 1) {
        point_.set = settings_in(settings);
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
    void hand(nb::handle table, double mass, double stiffness, double damping) {
        const Borrowed rows(table, "table");
        const double* from = rows.data<double>({-1, 4});
        if (rows.size() < 4) raise_usage("a hand's table has at least one row");
        Hand hand{{from, from + rows.size()}, mass, stiffness, damping};
        hand.begin();
        still();
        hand_ = std::make_unique<Hand>(std::move(hand));
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
    void set(nb::handle settings) {
        const HapticSettings s = settings_in(settings);
        const std::lock_guard<std::mutex> hold(door_);
        wanted_ = s;
        has_wanted_ = true;
    }

    // Place of the hand, its speed, the force on it, the point and its speed; 15 numbers.
    nb::object snapshot() {
        const std::lock_guard<std::mutex> hold(door_);
        return nb::make_tuple(numbers_of(shown_, 15), shown_energy_, shown_strength_,
                              (int)trouble_.load(), shown_delay_);
    }
    nb::object counts() {
        const std::lock_guard<std::mutex> hold(door_);
        const int64_t* c = shown_counts_;
        return nb::make_tuple(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], real_time_.load());
    }
    nb::object lateness() const {
        std::vector<int32_t> out(late_.size());
        for (size_t i = 0; i < out.size(); ++i) out[i] = (int32_t)late_[i].load();
        return nb::make_tuple(new_array(std::move(out), {late_.size()}), latest_.load(),
                              busiest_.load());
    }

private:
    HapticPoint point_;
    double awake_;
    bool is_empty_;
    std::unique_ptr<UdpSocket> link_, device_;
    std::unique_ptr<Hand> hand_;
    std::thread thread_;
    std::atomic<bool> stopping_{false}, real_time_{false};
    std::atomic<int32_t> trouble_{FINE};
    std::vector<std::atomic<uint32_t>> late_;
    std::atomic<double> latest_{0}, busiest_{0};
    std::mutex door_;  // the thread only ever tries it
    HapticSettings wanted_;
    bool has_wanted_ = false;
    double shown_[15] = {}, shown_energy_ = 0, shown_strength_ = 0, shown_delay_ = 0;
    int64_t shown_counts_[9] = {};

    // What the thread keeps to itself.
    Flood link_flood_, device_flood_;
    uint32_t sent_ = 0, device_heard_ = 0, forces_ = 0;
    double link_time_ = 0, device_time_ = 0, device_at_ = -1e9;
    double x_[3] = {}, v_[3] = {}, quaternion_[4] = {1, 0, 0, 0}, buttons_ = 0;
    bool has_device_ = false;
    int64_t bad_ = 0, flooded_ = 0, missed_ = 0;

    void still() {
        if (thread_.joinable()) raise_usage("the haptic loop is running: stop it first");
    }
    int open(std::unique_ptr<UdpSocket>& socket, const std::string& address, int port,
             const std::string& host, int host_port) {
        still();
        try {
            auto made = std::make_unique<UdpSocket>(address, port);
            if (!host.empty()) made->aim(host, host_port);
            socket = std::move(made);
        } catch (const std::runtime_error& error) {
            raise_usage(error.what());
        }
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
                for (int i = 0; i < 3; ++i) x_[i] += s.step * v_[i];  // carried on between packets
        } else if (hand_) {
            hand_->step(elapsed, s.step, point_.force);
            memcpy(x_, hand_->x, sizeof x_);
            memcpy(v_, hand_->v, sizeof v_);
        }
        if (trouble == DYNAMICS_FLOOD || trouble == DEVICE_FLOOD) ++flooded_;
        haptic_tick(point_, now, x_, v_, trouble != FINE);
        if (trouble == FINE && !point_.has_word) trouble = NO_DYNAMICS;
        if (trouble == FINE && now - point_.heard_at > s.silence) trouble = DYNAMICS_SILENT;
        trouble_ = trouble;
        answer(now);
        show();
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
            if (!is_packet(packet, bytes, PACKET_DEVICE, DEVICE_COUNT)) {
                ++bad_;
                continue;
            }
            const bool is_silent = now - device_at_ > point_.set.silence;
            if (has_device_ && !is_silent && (int32_t)(packet.sequence - device_heard_) <= 0) {
                ++point_.old;
                continue;
            }
            memcpy(x_, packet.numbers, sizeof x_);
            memcpy(v_, packet.numbers + 3, sizeof v_);
            memcpy(quaternion_, packet.numbers + 6, sizeof quaternion_);
            buttons_ = packet.numbers[10];
            device_heard_ = packet.sequence;
            device_time_ = packet.time;
            device_at_ = now;
            // a device that comes back starts anew: the way it made meanwhile is nobody's work
            if (!has_device_ || is_silent) point_.has_hand = false;
            has_device_ = true;
            device_->trust();
        }
        return count;
    }

    void answer(double now) {
        if (link_ && link_->has_peer()) {
            Packet out;
            out.kind = PACKET_HAND;
            out.count = HAND_COUNT;
            out.sequence = ++sent_;
            out.time = now;
            out.echo = link_time_;
            memcpy(out.numbers, x_, sizeof x_);
            memcpy(out.numbers + 3, v_, sizeof v_);
            memcpy(out.numbers + 6, quaternion_, sizeof quaternion_);
            memcpy(out.numbers + 10, point_.force, sizeof point_.force);
            out.numbers[13] = point_.given + point_.forgotten;
            out.numbers[14] = buttons_;
            link_->send(&out, out.size());
        }
        if (device_ && device_->has_peer()) {
            Packet out;
            out.kind = PACKET_FORCE;
            out.count = FORCE_COUNT;
            out.sequence = ++forces_;
            out.time = now;
            out.echo = device_time_;
            memcpy(out.numbers, point_.force, sizeof point_.force);
            out.numbers[3] = trouble_;
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
        memcpy(shown_, x_, sizeof x_);
        memcpy(shown_ + 3, v_, sizeof v_);
        memcpy(shown_ + 6, point_.force, sizeof point_.force);
        memcpy(shown_ + 9, point_.p, sizeof point_.p);
        memcpy(shown_ + 12, point_.u, sizeof point_.u);
        shown_energy_ = point_.given + point_.forgotten;
        shown_strength_ = point_.strength;
        shown_delay_ = point_.delay;
        const int64_t counts[9] = {point_.ticks, point_.fresh, point_.reused, point_.old,
                                   point_.bad + bad_, point_.limited, flooded_, missed_, sent_};
        memcpy(shown_counts_, counts, sizeof counts);
    }
};

}  // namespace

void bind_haptic(nb::module_& module) {
    nb::class_<BoundPoint>(module, "HapticPoint")
        .def(nb::init<nb::handle>(), nb::arg("settings"))
        .def("hear", &BoundPoint::hear)
        .def("tick", &BoundPoint::tick)
        .def("state", &BoundPoint::state)
        .def("counts", &BoundPoint::counts);
    nb::class_<HapticLoop>(module, "HapticLoop")
        .def(nb::init<nb::handle, double, bool>(), nb::arg("settings"), nb::arg("awake"),
             nb::arg("is_empty"))
        .def("link", &HapticLoop::link)
        .def("device", &HapticLoop::device)
        .def("hand", &HapticLoop::hand)
        .def("start", &HapticLoop::start)
        .def("stop", &HapticLoop::stop, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("is_running", &HapticLoop::is_running)
        .def("set", &HapticLoop::set)
        .def("snapshot", &HapticLoop::snapshot)
        .def("counts", &HapticLoop::counts)
        .def("lateness", &HapticLoop::lateness);
}
