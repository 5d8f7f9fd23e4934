// The impulse engine for Python; signatures as in kernels/reference/impulse/world.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernel/impulse/step.hpp"
#include "python/impulse/contacts.hpp"
#include "python/impulse/world.hpp"
#include "python/border/turns.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

class BoundImpulse {
public:
    BoundImpulse(nb::handle bodies, nb::handle bonds, nb::handle bond_numbers, nb::handle axes,
                 nb::handle gravity, nb::handle curve_first, nb::handle curve,
                 nb::handle curve_closed, nb::handle order_tie, nb::handle order_first,
                 nb::handle order_row, nb::handle update_first, nb::handle update,
                 nb::handle pieces, nb::handle sweep, nb::handle model_ints, nb::handle model_reals,
                 nb::handle side_first, nb::handle side_body)
        : arrays_(w_, bodies, bonds, bond_numbers, axes, gravity, curve_first, curve, curve_closed,
                  order_tie, order_first, order_row, update_first, update, pieces, sweep,
                  model_ints, model_reals, side_first, side_body) {
        const size_t n = (size_t)w_.body_count, m = (size_t)w_.bond_count;
        Arena<double> reals{nullptr, 0};
        Arena<int32_t> ints{nullptr, 0};
        impulse::lay_out_world(w_, reals, ints);
        reals_.assign((size_t)reals.used + 1, 0);
        ints_.assign((size_t)ints.used + 1, 0);
        reals = {reals_.data(), 0};
        ints = {ints_.data(), 0};
        impulse::lay_out_world(w_, reals, ints);
        rows_.assign(m, impulse::Rows{});
        w_.rows = rows_.data();
        efforts_.assign((size_t)w_.nv, 0);
        w_.efforts = efforts_.data();
        impulse::number_world(w_);
        for (size_t b = 0; b < n; ++b) {
            w_.quat[4 * b] = 1;
            identity(w_.X + 12 * b);
        }
        copy_all(w_.X_next, w_.X, 12 * (int64_t)n);
        copy_all(w_.quat_next, w_.quat, 4 * (int64_t)n);
        find_islands();
    }

    void set(double step, double gap_limit, double speed_limit, int32_t iteration_limit,
             int32_t sweeps, bool stops, bool friction, double stop_restitution) {
        const Turn::Taken taken(turn_);
        w_.step = step;
        w_.gap_limit = gap_limit;
        w_.speed_limit = speed_limit;
        w_.iteration_limit = iteration_limit;
        w_.sweeps = sweeps;
        w_.with_stops = stops;
        w_.with_friction = friction;
        w_.stop_restitution = stop_restitution;
    }

    // Bodies' poses (quaternion, centre), velocities (world axes), joint variables, time.
    void start(nb::handle poses, nb::handle twists, nb::handle q, nb::handle curve_at,
               double time) {
        const Turn::Taken taken(turn_);
        const Borrowed poses_(poses, "poses"), twists_(twists, "twists"), q_(q, "q"),
            at_(curve_at, "curve_at");
        const double* pose = poses_.numbers<double>(7LL * w_.body_count);
        copy_all(w_.V, twists_.numbers<double>(6LL * w_.body_count), 6LL * w_.body_count);
        copy_all(w_.q, q_.numbers<double>(w_.nq), w_.nq);
        copy_all(w_.curve_at, at_.numbers<double>(w_.bond_count), w_.bond_count);
        for (int32_t b = 0; b < w_.body_count; ++b) {
            copy_all(w_.quat + 4LL * b, pose + 7LL * b, 4);
            quat_normalize(w_.quat + 4LL * b);
            quat_to_matrix(w_.quat + 4LL * b, w_.X + 12LL * b);
            copy_all(w_.X + 12LL * b + 9, pose + 7LL * b + 4, 3);
            if (w_.inverse[4LL * b] == 0) clear_all(w_.V + 6LL * b, 6);
        }
        // bodies that are held still are the same in both
        copy_all(w_.X_next, w_.X, 12LL * w_.body_count);
        copy_all(w_.quat_next, w_.quat, 4LL * w_.body_count);
        copy_all(w_.V_next, w_.V, 6LL * w_.body_count);
        copy_all(w_.q_next, w_.q, w_.nq);
        clear_all(w_.lambda, 6LL * w_.tie_count);
        clear_all(w_.lambda_last, 6LL * w_.tie_count);
        w_.time = time;
        w_.work = 0;
        w_.balance = INFINITY;
        w_.swing = 0;
        w_.change = INFINITY;
        w_.cut = false;
        clear_all(w_.late, 6LL * w_.tie_count);
        impulse::build_rows(w_);
        for (int32_t j = 0; j < w_.bond_count; ++j)
            if (impulse::bond_type(w_, j) == impulse::SPRING) impulse::read_bond(w_, j);
        impulse::read_speeds(w_);
        copy_all(w_.rotor, w_.v, w_.nv);
    }

    // Contacts; meaning as in impulse/contacts.hpp.
    void set_touches(nb::handle touches, nb::handle numbers) {
        const Turn::Taken taken(turn_);
        contacts_.set(touches, numbers);
        find_islands();
    }
    void touch(const nb::tuple& arrays, nb::handle bodies, nb::handle X_BL, nb::handle reach,
               double margin) {
        const Turn::Taken taken(turn_);
        contacts_.touch(arrays, bodies, X_BL, reach, margin);
    }

    // Runs steps under efforts (nv) and loads (body each; point, force, moment each).
    nb::object run(int64_t steps, nb::handle efforts, nb::handle loads, nb::handle load_numbers) {
        const Turn::Taken taken(turn_);
        efforts_ = copied<double>(efforts, "efforts");
        loads_ = copied<int32_t>(loads, "loads");
        load_numbers_ = copied<double>(load_numbers, "load_numbers");
        want(efforts_.size() == (size_t)w_.nv, "efforts");
        want(load_numbers_.size() == loads_.size() * impulse::LOAD_SIZE, "loads");
        for (int32_t b : loads_) want(is_body(w_, b), "loads");
        w_.efforts = efforts_.data();
        w_.load_count = (int32_t)loads_.size();
        w_.load = loads_.data();
        w_.load_numbers = load_numbers_.data();
        impulse::ImpulseReport r{};
        int64_t done = 0;
        {
            nb::gil_scoped_release release;
            SharedStop stop;
            done = contacts_.are_found() ? run_touching(steps, r, stop)
                                         : impulse::run(w_, steps, r, stop);
            stop.end();
            if (steps == 0) impulse::look_now(w_, r);
        }
        return nb::make_tuple(done, r.status, w_.time, r.gap, r.angle_gap, r.velocity_gap,
                              impulse::kinetic(w_), impulse::potential(w_), w_.work, r.contacts,
                              r.iterations, r.corrections);
    }

    nb::object q() const {
        const Turn::Taken taken(turn_);
        return vector(w_.q, w_.nq);
    }
    nb::object v() const {
        const Turn::Taken taken(turn_);
        return vector(w_.v, w_.nv);
    }
    nb::object twists() const {
        const Turn::Taken taken(turn_);
        return new_array(std::vector<double>(w_.V, w_.V + 6LL * w_.body_count),
                         {(size_t)w_.body_count, 6});
    }
    nb::object poses() const {
        const Turn::Taken taken(turn_);
        std::vector<double> out;
        for (int32_t b = 0; b < w_.body_count; ++b) {
            out.insert(out.end(), w_.quat + 4LL * b, w_.quat + 4LL * b + 4);
            out.insert(out.end(), w_.X + 12LL * b + 9, w_.X + 12LL * b + 12);
        }
        return new_array(std::move(out), {(size_t)w_.body_count, 7});
    }
    // Mean force and moment about M's origin that a gives b over the last step, six per bond.
    nb::object reactions() const {
        const Turn::Taken taken(turn_);
        std::vector<double> out(6 * (size_t)w_.bond_count, 0);
        for (int32_t j = 0; j < w_.bond_count; ++j) impulse::reaction(w_, j, out.data() + 6 * j);
        return new_array(std::move(out), {(size_t)w_.bond_count, 6});
    }

    // Mean effort of each coupling over the last step.
    nb::object coupling_efforts() const {
        const Turn::Taken taken(turn_);
        std::vector<double> out((size_t)w_.coupling_count, 0);
        for (int32_t c = 0; c < w_.coupling_count; ++c)
            out[(size_t)c] = impulse::mean_effort(w_, w_.bond_count + c, 0);
        const size_t count = out.size();
        return new_array(std::move(out), {count});
    }

    // All that the next steps depend on, beside the world and the ways to run.
    nb::object snapshot() const {
        const Turn::Taken taken(turn_);
        const auto array = [](auto values) {
            const size_t size = values.size();
            return new_array(std::move(values), {size});
        };
        return nb::make_tuple(
            array(reals_), array(ints_), array(packed(limits_)), array(packed(rows_)),
            array(limit_reals_), array(contacts_.pairs()), array(contacts_.numbers()),
            array(std::vector<double>{w_.time, w_.work, w_.balance, w_.swing, w_.change}),
            array(std::vector<int32_t>{w_.cut, w_.loaded, w_.unread, w_.limit_count,
                                       w_.limit_capacity, impulse::are_swapped(w_),
                                       w_.tied_capacity}));
    }
    // Continues from a state of the same world, bit for bit.
    void resume(nb::handle reals, nb::handle ints, nb::handle limits, nb::handle rows,
                nb::handle limit_reals, nb::handle touches, nb::handle touch_numbers,
                nb::handle numbers, nb::handle counts) {
        set_touches(touches, touch_numbers);
        const Turn::Taken taken(turn_);
        const Borrowed numbers_(numbers, "numbers"), counts_(counts, "counts");
        const double* number = numbers_.numbers<double>(5);
        const int32_t* count = counts_.numbers<int32_t>(7);
        want(count[4] >= impulse::count_limits(w_) && count[3] >= 0 && count[3] <= count[4] &&
                 count[6] >= 0 && count[6] <= count[4],
             "the state");
        if (count[4] != w_.limit_capacity || count[6] != w_.tied_capacity)
            make_limits(count[4], count[6]);
        find_islands();
        // after an odd number of steps the bodies' two places in memory are the other way round
        if ((count[5] != 0) != impulse::are_swapped(w_)) impulse::swap_all_places(w_);
        fill(reals_, copied<double>(reals, "reals"));
        // these follow from the world alone
        want(copied<int32_t>(ints, "ints") == ints_, "the state");
        fill(limit_reals_, copied<double>(limit_reals, "limit_reals"));
        unpack(copied<double>(limits, "limits"), limits_);
        unpack(copied<double>(rows, "rows"), rows_);
        w_.time = number[0];
        w_.work = number[1];
        w_.balance = number[2];
        w_.swing = number[3];
        w_.change = number[4];
        w_.cut = count[0] != 0;
        w_.loaded = count[1] != 0;
        w_.unread = count[2];
        w_.limit_count = count[3];
        want(indices_fit(), "the state");
    }

private:
    // Steps with contacts that are found before each.
    template <class Stop>
    int64_t run_touching(int64_t steps, impulse::ImpulseReport& total, Stop& stop) {
        int64_t done = 0;
        total = impulse::ImpulseReport{};
        for (; done < steps && !stop(); ++done) {
            contacts_.find();
            find_islands();
            impulse::ImpulseReport r{};
            const int64_t one = impulse::run(w_, 1, r);
            total.gap = larger(total.gap, r.gap);
            total.angle_gap = larger(total.angle_gap, r.angle_gap);
            total.velocity_gap = larger(total.velocity_gap, r.velocity_gap);
            total.iterations += r.iterations;
            total.corrections += r.corrections;
            total.contacts = r.contacts;
            total.status = r.status;
            if (one < 1) break;
        }
        return done;
    }
    // Whether what a state names is there. A state that names other things leaves no limits.
    bool indices_fit() {
        const int32_t held = w_.limit_count;
        w_.limit_count = 0;
        for (int32_t i = 0; i < held; ++i) {
            const impulse::Limit& l = limits_[(size_t)i];
            const bool touches = l.kind >= impulse::TOUCHING;
            if (l.kind < impulse::DRY || l.kind > impulse::ROLLING || !is_body(w_, l.a) ||
                !is_body(w_, l.b) || l.of < 0 || l.of >= (touches ? w_.touch_count : w_.nv))
                return false;
            if (l.kind > impulse::TOUCHING && (l.normal < 0 || l.normal >= held)) return false;
            if (!touches && (l.bond < 0 || l.bond >= w_.bond_count || !has_variable(l.bond, l.of)))
                return false;
        }
        w_.limit_count = held;
        return true;
    }
    bool has_variable(int32_t bond, int32_t v) const {
        const int32_t first = impulse::bond_v(w_, bond);
        return v >= first && v < first + impulse::BOND_NV[impulse::bond_type(w_, bond)];
    }
    // Plain structures as numbers, and back.
    template <class T>
    static std::vector<double> packed(const std::vector<T>& from) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
        std::vector<double> out(from.size() * sizeof(T) / sizeof(double));
        if (!from.empty()) memcpy(out.data(), from.data(), from.size() * sizeof(T));
        return out;
    }
    template <class T>
    static void unpack(const std::vector<double>& from, std::vector<T>& to) {
        want(from.size() * sizeof(double) == to.size() * sizeof(T), "the state");
        if (!to.empty()) memcpy(to.data(), from.data(), to.size() * sizeof(T));
    }
    template <class T>
    static void fill(std::vector<T>& to, std::vector<T>&& from) {
        want(from.size() == to.size(), "the state");
        std::copy(from.begin(), from.end(), to.begin());  // in place: others point into it
    }
    // Which bodies act on each other now, with room for all limits that they may need.
    void find_islands() {
        const int32_t capacity = impulse::count_limits(w_);
        if (capacity > w_.limit_capacity) make_limits(capacity, w_.tied_capacity);
        Arena<double> real_count{nullptr, 0};
        Arena<int32_t> int_count{nullptr, 0};
        impulse::lay_out_islands(w_, real_count, int_count);
        if ((int64_t)island_reals_.size() < real_count.used)
            island_reals_.resize(2 * (size_t)real_count.used);
        if ((int64_t)island_ints_.size() < int_count.used)
            island_ints_.resize(2 * (size_t)int_count.used);
        Arena<double> reals{island_reals_.data(), 0};
        Arena<int32_t> ints{island_ints_.data(), 0};
        impulse::lay_out_islands(w_, reals, ints);
        const int32_t tied = impulse::count_axis_limits(w_) + impulse::find_islands(w_);
        if (tied > w_.tied_capacity) make_limits(w_.limit_capacity, tied);
    }
    void make_limits(int32_t capacity, int32_t tied) {
        w_.limit_capacity = capacity;
        w_.tied_capacity = tied;
        limits_.assign((size_t)w_.limit_capacity, impulse::Limit{});
        w_.limits = limits_.data();
        Arena<double> count{nullptr, 0};
        impulse::lay_out_limits(w_, count);
        limit_reals_.assign((size_t)count.used + 1, 0);
        Arena<double> arena{limit_reals_.data(), 0};
        impulse::lay_out_limits(w_, arena);
    }
    nb::object vector(const double* from, int32_t count) const {
        return new_array(std::vector<double>(from, from + count), {(size_t)count});
    }

    mutable Turn turn_;
    impulse::World w_{};
    ImpulseArrays arrays_;
    ImpulseContacts contacts_{w_};
    std::vector<int32_t> loads_;
    std::vector<double> load_numbers_, efforts_;
    std::vector<double> reals_, limit_reals_, island_reals_;
    std::vector<int32_t> ints_, island_ints_;
    std::vector<impulse::Rows> rows_;
    std::vector<impulse::Limit> limits_;
};

}  // namespace

void bind_impulse(nb::module_& module) {
    using H = nb::handle;
    nb::class_<BoundImpulse>(module, "BoundImpulse")
        .def(nb::init<H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H>())
        .def("set", &BoundImpulse::set)
        .def("start", &BoundImpulse::start)
        .def("set_touches", &BoundImpulse::set_touches)
        .def("touch", &BoundImpulse::touch)
        .def("run", &BoundImpulse::run)
        .def("reactions", &BoundImpulse::reactions)
        .def("coupling_efforts", &BoundImpulse::coupling_efforts)
        .def("snapshot", &BoundImpulse::snapshot)
        .def("resume", &BoundImpulse::resume)
        .def_prop_ro("q", &BoundImpulse::q)
        .def_prop_ro("v", &BoundImpulse::v)
        .def_prop_ro("poses", &BoundImpulse::poses)
        .def_prop_ro("twists", &BoundImpulse::twists);
}
