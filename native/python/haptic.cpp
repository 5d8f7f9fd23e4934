// The haptic loop for Python: one touched point, and the thread that runs it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "haptic/thread.hpp"
#include "python/border/arrays.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

HapticSettings settings_in(nb::handle numbers) {
    const Borrowed given(numbers, "settings");
    HapticSettings s;
    static_assert(sizeof s == HAPTIC_SETTINGS * sizeof(double));
    memcpy((void*)&s, given.numbers<double>(HAPTIC_SETTINGS), sizeof s);
    const int wrong = haptic_wrong_setting(s);
    if (wrong >= 0) raise_usage("haptic setting " + std::to_string(wrong) + " is out of range");
    return s;
}

std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::object array_of(std::vector<double> numbers) {
    const size_t count = numbers.size();
    return new_array(std::move(numbers), {count});
}

// Errors of the thread as Python's.
template <class Work>
auto usage(Work work) {
    try {
        return work();
    } catch (const std::runtime_error& error) {
        raise_usage(error.what());
    }
}

// The gate by itself: force and torque, those before, settings; what leaves, and why not.
nb::object gate(nb::handle force, nb::handle before, nb::handle settings) {
    const Borrowed wanted(force, "force"), last(before, "before");
    double f[6];
    memcpy(f, wanted.numbers<double>(6), sizeof f);
    const GateReason reason = haptic_gate(settings_in(settings), last.numbers<double>(6), f);
    return nb::make_tuple(array_of({f, f + 6}), (int)reason);
}

// One end of a conversation, to compare with its twin.
class BoundSession {
public:
    explicit BoundSession(nb::bytes key)
        : session_(usage([&] { return HapticSession(text_of(key)); })) {}

    nb::object open(nb::bytes data, uint64_t from, double now) {
        Packet packet;
        const Heard heard = session_.open(reinterpret_cast<const uint8_t*>(data.c_str()),
                                          (int)data.size(), from, now, packet);
        if (heard == HEARD_NEW) session_.trust(from, now);
        session_.watch(now);
        const nb::object peer = session_.has_peer() ? nb::cast(session_.peer()) : nb::none();
        return nb::make_tuple((int)heard, peer);
    }
    nb::bytes seal(int kind, double time, double echo, nb::handle numbers) {
        const Borrowed given(numbers, "numbers");
        Packet packet;
        packet.kind = (uint16_t)kind;
        packet.count = (uint16_t)std::min<size_t>(given.size(), MOST_NUMBERS);
        packet.time = time;
        packet.echo = echo;
        memcpy(packet.numbers, given.data<double>({-1}), packet.count * sizeof(double));
        uint8_t bytes[ROOM_BYTES];
        const int size = session_.seal(packet, bytes);
        return nb::bytes(reinterpret_cast<const char*>(bytes), size);
    }

private:
    HapticSession session_;
};

nb::bytes tag(nb::bytes key, nb::bytes data) {
    uint8_t out[Sha256::SIZE];
    Hmac(key.c_str(), key.size()).tag(data.c_str(), data.size(), out);
    return nb::bytes(reinterpret_cast<const char*>(out), sizeof out);
}

// One point, stepped by Python: for tests and for loops of one's own.
class BoundPoint {
public:
    explicit BoundPoint(nb::handle settings) { point_.set = settings_in(settings); }

    int hear(uint32_t sequence, double now, double echo, nb::handle reported) {
        const Borrowed given(reported, "reported");
        return haptic_hear(point_, sequence, now, echo, given.numbers<double>(STATE_COUNT));
    }
    // A hand of three degrees of freedom has a velocity of three numbers and no orientation.
    nb::object tick(double now, nb::handle x, nb::handle turn, nb::handle v, bool is_faulty,
                    bool is_measured) {
        const Borrowed place(x, "x"), speed(v, "v");
        HapticHand hand;
        hand.has_turn = !turn.is_none();
        hand.is_measured = is_measured;
        memcpy(hand.x, place.numbers<double>(3), sizeof hand.x);
        const int dof = hand.has_turn ? 6 : 3;
        memcpy(hand.v, speed.numbers<double>(dof), dof * sizeof(double));
        if (hand.has_turn) {
            const Borrowed quat(turn, "turn");
            memcpy(hand.turn, quat.numbers<double>(4), sizeof hand.turn);
            if (haptic_is_turn(hand.turn)) quat_normalize(hand.turn);
        }
        haptic_tick(point_, now, hand, is_faulty);
        return array_of({point_.force, point_.force + dof});
    }
    nb::object state() const {
        const HapticPoint& h = point_;
        std::vector<double> out(h.p, h.p + 3);
        out.insert(out.end(), h.turn, h.turn + 4);
        out.insert(out.end(), h.u, h.u + 6);
        return nb::make_tuple(array_of(std::move(out)), h.strength, h.ledger.total, h.removed,
                              h.delay);
    }
    nb::object counts() const {
        const HapticPoint& h = point_;
        return nb::make_tuple(h.ticks, h.fresh, h.reused, h.old, h.bad, h.limited);
    }
    nb::object refusals() const {
        const HapticPoint& h = point_;
        return nb::make_tuple(h.wrong, h.wrong_field, h.gated, h.gate_reason, h.jumps);
    }
    nb::object energies() const {
        const HapticLedger& l = point_.ledger;
        return nb::make_tuple(l.total, l.balance, l.kept, l.got);
    }

private:
    HapticPoint point_;
};

class BoundLoop {
public:
    BoundLoop(nb::handle settings, double awake, bool is_empty)
        : loop_(settings_in(settings), checked(awake), is_empty) {}

    int link(const std::string& address, int port, const std::string& host, int host_port,
             nb::bytes key) {
        return usage([&] { return loop_.link(address, port, host, host_port, text_of(key)); });
    }
    int device(const std::string& address, int port, const std::string& host, int host_port,
               nb::bytes key) {
        return usage([&] { return loop_.device(address, port, host, host_port, text_of(key)); });
    }
    void hand(nb::handle table, double mass, double stiffness, double damping) {
        const Borrowed rows(table, "table");
        const double* from = rows.data<double>({-1, 4});
        if (rows.size() < 4) raise_usage("a hand's table must have at least one row");
        bool is_sane = mass > 0 && stiffness >= 0 && damping >= 0 && mass <= 1e3 &&
                       stiffness <= STIFFNESS_MOST && damping <= DAMPING_MOST;
        for (int64_t i = 0; i < rows.size(); ++i)
            is_sane = is_sane && fabs(from[i]) <= (i % 4 ? HAND_FAR : TIME_MOST) &&
                      (i % 4 || i == 0 || from[i] > from[i - 4]);
        if (!is_sane)
            raise_usage(
                "a hand needs increasing times, finite positions, a mass greater than 0, and a "
                "stiffness "
                "and damping of at least 0");
        usage([&] { loop_.hand({{from, from + rows.size()}, mass, stiffness, damping}); });
    }
    void start() {
        usage([&] {
            const nb::gil_scoped_release free;
            loop_.start();
        });
    }
    void stop() { loop_.stop(); }
    bool is_running() const { return loop_.is_running(); }
    void set(nb::handle settings) { loop_.set(settings_in(settings)); }

    // Hand, its speed, the force on it, the point, its speed (linear); orientation of the hand, its
    // angular velocity, the torque on it: 25 numbers.
    nb::object snapshot() {
        const HapticView view = loop_.view();
        const HapticHand& hand = view.hand;
        std::vector<double> out;
        const auto add = [&out](const double* from, int count) {
            out.insert(out.end(), from, from + count);
        };
        add(hand.x, 3), add(hand.v, 3), add(view.force, 3), add(view.p, 3), add(view.u, 3);
        add(hand.turn, 4), add(hand.v + 3, 3), add(view.force + 3, 3);
        return nb::make_tuple(array_of(std::move(out)), view.energy, view.strength, loop_.trouble(),
                              view.delay);
    }
    nb::object counts() {
        const HapticView view = loop_.view();
        nb::list out;
        for (const int64_t count : view.counts) out.append(count);
        out.append(loop_.is_real_time());
        out.append(view.wrong_field);
        out.append(view.gate_reason);
        return nb::tuple(out);
    }
    nb::object lateness() const {
        std::vector<int32_t> bins = loop_.lateness();
        const size_t count = bins.size();
        return nb::make_tuple(new_array(std::move(bins), {count}), loop_.latest(), loop_.busiest());
    }

private:
    // A thread that slept past its tick, or never, could not be stopped.
    static double checked(double awake) {
        if (!(awake >= 0 && awake <= 1)) raise_usage("awake must be from 0 to 1 second");
        return awake;
    }

    HapticLoop loop_;
};

}  // namespace

void bind_haptic(nb::module_& module) {
    nb::class_<BoundPoint>(module, "HapticPoint")
        .def(nb::init<nb::handle>(), nb::arg("settings"))
        .def("hear", &BoundPoint::hear)
        .def("tick", &BoundPoint::tick, nb::arg("now"), nb::arg("x"), nb::arg("turn").none(),
             nb::arg("v"), nb::arg("is_faulty"), nb::arg("is_measured") = true)
        .def("state", &BoundPoint::state)
        .def("counts", &BoundPoint::counts)
        .def("refusals", &BoundPoint::refusals)
        .def("energies", &BoundPoint::energies);
    nb::class_<BoundSession>(module, "HapticSession")
        .def(nb::init<nb::bytes>(), nb::arg("key"))
        .def("open", &BoundSession::open)
        .def("seal", &BoundSession::seal);
    module.def("haptic_gate", &gate);
    module.def("haptic_tag", &tag);
    nb::class_<BoundLoop>(module, "HapticLoop")
        .def(nb::init<nb::handle, double, bool>(), nb::arg("settings"), nb::arg("awake"),
             nb::arg("is_empty"))
        .def("link", &BoundLoop::link)
        .def("device", &BoundLoop::device)
        .def("hand", &BoundLoop::hand)
        .def("start", &BoundLoop::start)
        .def("stop", &BoundLoop::stop, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("is_running", &BoundLoop::is_running)
        .def("set", &BoundLoop::set)
        .def("snapshot", &BoundLoop::snapshot)
        .def("counts", &BoundLoop::counts)
        .def("lateness", &BoundLoop::lateness);
}
