// The impulse engine for Python; signatures as in kernels/reference/impulse/world.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <memory>
#include <vector>

#include "kernel/impulse/step.hpp"
#include "python/contact.hpp"
#include "python/turns.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

template <class T>
std::vector<T> copied(nb::handle object, const char* name) {
    const Borrowed given(object, name);
    const T* numbers = given.data<T>();
    return std::vector<T>(numbers, numbers + given.size());
}

void want(bool fits, const char* what) {
    if (!fits)
        raise_usage(std::string(what) + " does not fit the other arrays of the impulse engine");
}

class BoundImpulse {
public:
    BoundImpulse(nb::handle bodies, nb::handle bonds, nb::handle bond_numbers, nb::handle axes,
                 nb::handle gravity, nb::handle curve_first, nb::handle curve,
                 nb::handle curve_closed, nb::handle order_tie, nb::handle order_first,
                 nb::handle order_row, nb::handle update_first, nb::handle update,
                 nb::handle pieces, nb::handle sweep, nb::handle model_ints, nb::handle model_reals,
                 nb::handle side_first, nb::handle side_body)
        : bodies_(copied<double>(bodies, "bodies")),
          bonds_(copied<int32_t>(bonds, "bonds")),
          bond_numbers_(copied<double>(bond_numbers, "bond_numbers")),
          axes_(copied<double>(axes, "axes")),
          gravity_(copied<double>(gravity, "gravity")),
          curve_first_(copied<int32_t>(curve_first, "curve_first")),
          curve_(copied<double>(curve, "curve")),
          curve_closed_(copied<int32_t>(curve_closed, "curve_closed")),
          order_tie_(copied<int32_t>(order_tie, "order_tie")),
          order_first_(copied<int32_t>(order_first, "order_first")),
          order_row_(copied<int32_t>(order_row, "order_row")),
          update_first_(copied<int32_t>(update_first, "update_first")),
          update_(copied<int32_t>(update, "update")),
          pieces_(copied<int32_t>(pieces, "pieces")),
          sweep_(copied<int32_t>(sweep, "sweep")),
          model_ints_(copied<int32_t>(model_ints, "model_ints")),
          model_reals_(copied<double>(model_reals, "model_reals")),
          side_first_(copied<int32_t>(side_first, "side_first")),
          side_body_(copied<int32_t>(side_body, "side_body")) {
        const size_t n = bodies_.size() / impulse::BODY_SIZE, m = bonds_.size() / 5;
        want(n > 0 && bodies_.size() == n * impulse::BODY_SIZE, "bodies");
        want(bonds_.size() == 5 * m && bond_numbers_.size() == m * impulse::BOND_SIZE, "bonds");
        w_.body_count = (int32_t)n;
        w_.bond_count = (int32_t)m;
        w_.nv = (int32_t)(axes_.size() / impulse::AXIS_SIZE);
        w_.nq = 0;
        const int64_t most = 8 * (int64_t)m;  // no bond has more variables
        for (size_t j = 0; j < m; ++j) {
            const int32_t* b = bonds_.data() + 5 * j;
            want(b[0] >= 0 && b[0] < impulse::BOND_TYPE_COUNT && is_body(b[1]) && is_body(b[2]) &&
                     b[1] != b[2] && b[3] >= 0 && b[3] <= most && b[4] >= 0 &&
                     b[4] <= w_.nv - impulse::BOND_NV[b[0]],
                 "bonds");
            const int32_t end = b[3] + impulse::BOND_NQ[b[0]];
            w_.nq = end > w_.nq ? end : w_.nq;
        }
        want(gravity_.size() == 3, "gravity");
        want(curve_first_.size() == m + 1 && curve_closed_.size() == m &&
                 curve_.size() == 12 * (size_t)curve_first_[m] && curve_first_[0] == 0,
             "curves");
        for (size_t j = 0; j < m; ++j)
            want(curve_first_[j] <= curve_first_[j + 1] &&
                     (bonds_[5 * j] != impulse::POINT_ON_CURVE ||
                      curve_first_[j] < curve_first_[j + 1]),
                 "curves");
        check_couplings();
        check_order();
        point();
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
        make_limits();
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

    void set_touches(nb::handle touches, nb::handle numbers) {
        const Turn::Taken taken(turn_);
        std::vector<int32_t> pairs = copied<int32_t>(touches, "touches");
        std::vector<double> values = copied<double>(numbers, "touch_numbers");
        const size_t count = pairs.size() / 3;
        want(pairs.size() == 3 * count && values.size() == count * impulse::TOUCH_SIZE, "touches");
        for (size_t i = 0; i < count; ++i)
            want((pairs[3 * i] == 0 || pairs[3 * i] == 1) && is_body(pairs[3 * i + 1]) &&
                     is_body(pairs[3 * i + 2]),
                 "touches");
        const bool grows = count > (size_t)w_.touch_count;
        touches_ = std::move(pairs);
        touch_numbers_ = std::move(values);
        w_.touch_count = (int32_t)count;
        w_.touch = touches_.data();
        w_.touch_numbers = touch_numbers_.data();
        if (grows) make_limits();
    }

    // Runs steps under efforts (nv) and loads (body each; point, force, moment each).
    nb::object run(int64_t steps, nb::handle efforts, nb::handle loads, nb::handle load_numbers) {
        const Turn::Taken taken(turn_);
        efforts_ = copied<double>(efforts, "efforts");
        loads_ = copied<int32_t>(loads, "loads");
        load_numbers_ = copied<double>(load_numbers, "load_numbers");
        want(efforts_.size() == (size_t)w_.nv, "efforts");
        want(load_numbers_.size() == loads_.size() * impulse::LOAD_SIZE, "loads");
        for (int32_t b : loads_) want(is_body(b), "loads");
        w_.efforts = efforts_.data();
        w_.load_count = (int32_t)loads_.size();
        w_.load = loads_.data();
        w_.load_numbers = load_numbers_.data();
        impulse::ImpulseReport r{};
        int64_t done = 0;
        {
            nb::gil_scoped_release release;
            SharedStop stop;
            done = shapes_ ? run_touching(steps, r, stop) : impulse::run(w_, steps, r, stop);
            stop.end();
            if (steps == 0) impulse::look_now(w_, r);
        }
        return nb::make_tuple(done, r.status, w_.time, r.gap, r.angle_gap, r.velocity_gap,
                              impulse::kinetic(w_), impulse::potential(w_), w_.work, r.contacts,
                              r.iterations, r.corrections);
    }

    // Lets bodies touch in all steps from now on: shapes, the body of each link and where the link
    // is on it (n × 12), how far the shapes of each link reach from its origin, and the least
    // distance from which on they count.
    void touch(nb::tuple arrays, nb::handle bodies, nb::handle X_BL, nb::handle reach,
               double margin) {
        const Turn::Taken taken(turn_);
        if (arrays.size() != 10) raise_usage("shapes are ten arrays");
        auto made = std::make_unique<OwnShapes>(arrays[0], arrays[1], arrays[2], arrays[3],
                                                arrays[4], arrays[5], arrays[6], arrays[7],
                                                arrays[8], nb::cast<int32_t>(arrays[9]));
        const size_t links = (size_t)made->shapes.link_count;
        link_body_ = copied<int32_t>(bodies, "bodies");
        X_BL_ = copied<double>(X_BL, "X_BL");
        reach_ = copied<double>(reach, "reach");
        want(link_body_.size() == links && X_BL_.size() == TRANSFORM_SIZE * links &&
                 reach_.size() == links,
             "links");
        for (int32_t b : link_body_) want(is_body(b), "links");
        X_WL_.assign(TRANSFORM_SIZE * links, 0);
        margin_ = margin;
        shapes_ = std::move(made);
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
            array(limit_reals_), array(touches_), array(touch_numbers_),
            array(std::vector<double>{w_.time, w_.work, w_.balance, w_.swing, w_.change}),
            array(std::vector<int32_t>{w_.cut, w_.loaded, w_.unread, w_.limit_count,
                                       w_.limit_capacity, impulse::are_swapped(w_)}));
    }
    // Continues from a state of the same world, bit for bit.
    void resume(nb::handle reals, nb::handle ints, nb::handle limits, nb::handle rows,
                nb::handle limit_reals, nb::handle touches, nb::handle touch_numbers,
                nb::handle numbers, nb::handle counts) {
        set_touches(touches, touch_numbers);
        const Turn::Taken taken(turn_);
        const Borrowed numbers_(numbers, "numbers"), counts_(counts, "counts");
        const double* number = numbers_.numbers<double>(5);
        const int32_t* count = counts_.numbers<int32_t>(6);
        want(count[4] >= impulse::count_limits(w_) && count[3] >= 0 && count[3] <= count[4],
             "the state");
        make_limits(count[4]);
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
            find_touches();
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
    // Contacts where the bodies are now: each is a point of one body before a plane of the other.
    void find_touches() {
        Shapes& s = shapes_->shapes;
        double fastest = 0;
        for (int32_t link = 0; link < s.link_count; ++link) {
            const double *X = w_.X + 12LL * link_body_[(size_t)link],
                         *V = w_.V + 6LL * link_body_[(size_t)link],
                         *X_BL = X_BL_.data() + TRANSFORM_SIZE * (int64_t)link;
            double* X_WL = X_WL_.data() + TRANSFORM_SIZE * (int64_t)link;
            compose(X, X_BL, X_WL);
            const double far = reach_[(size_t)link] + sqrt(dot3(X_BL + 9, X_BL + 9));
            if (link > 0)
                fastest = larger(fastest, sqrt(dot3(V, V)) + far * sqrt(dot3(V + 3, V + 3)));
        }
        place_shapes(s, X_WL_.data());
        const ContactList& list = shapes_->find(larger(margin_, 2 * w_.step * fastest));
        const size_t count = (size_t)list.count;
        touches_.resize(3 * count);
        touch_numbers_.assign(count * impulse::TOUCH_SIZE, 0);
        for (size_t i = 0; i < count; ++i) {
            const int32_t one = list.shapes[2 * i], other = list.shapes[2 * i + 1];
            const double *n = list.normals + 3 * i, *p = list.points + 3 * i;
            // the second shape's body is pushed along the normal
            const int32_t a = link_body_[(size_t)s.link(other)],
                          b = link_body_[(size_t)s.link(one)];
            double* numbers = touch_numbers_.data() + i * impulse::TOUCH_SIZE;
            touches_[3 * i] = 0;
            touches_[3 * i + 1] = a;
            touches_[3 * i + 2] = b;
            double on_a[3], on_b[3], surface[4];
            for (int k = 0; k < 3; ++k) {
                on_a[k] = p[k] + 0.5 * list.distances[i] * n[k];
                on_b[k] = p[k] - 0.5 * list.distances[i] * n[k];
            }
            to_shape(w_.X + 12LL * a, on_a, numbers);
            to_shape(w_.X + 12LL * b, on_b, numbers + 4);
            rotate_back(w_.X + 12LL * b, n, numbers + 7);
            join_surfaces(s.surfaces + SURFACE_SIZE * (int64_t)one,
                          s.surfaces + SURFACE_SIZE * (int64_t)other, surface);
            numbers[11] = surface[0];
            numbers[12] = surface[1];
        }
        w_.touch_count = (int32_t)count;
        w_.touch = touches_.data();
        w_.touch_numbers = touch_numbers_.data();
        if (impulse::count_limits(w_) > w_.limit_capacity) make_limits();
    }

    // Whether what a state names is there. A state that names other things leaves no limits.
    bool indices_fit() {
        const int32_t held = w_.limit_count;
        w_.limit_count = 0;
        for (int32_t i = 0; i < held; ++i) {
            const impulse::Limit& l = limits_[(size_t)i];
            const bool touches = l.kind == impulse::TOUCHING || l.kind == impulse::SLIDING;
            if (l.kind < impulse::DRY || l.kind > impulse::SLIDING || !is_body(l.a) ||
                !is_body(l.b) || l.of < 0 || l.of >= (touches ? w_.touch_count : w_.nv))
                return false;
            if (l.kind == impulse::SLIDING && (l.normal < 0 || l.normal >= held)) return false;
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
    // Couplings of a compiled mechanism, whose variables are those of the bonds.
    void check_couplings() {
        w_.coupling_count = 0;
        w_.model = nullptr;
        if (!model_ints_.empty()) {
            want(bind_model(model_ints_.data(), (int64_t)model_ints_.size(), model_reals_.data(),
                            (int64_t)model_reals_.size(), model_) == 0,
                 "the mechanism");
            w_.model = &model_;
            w_.coupling_count = model_.coupling_count;
        }
        w_.tie_count = w_.bond_count + w_.coupling_count;
        const size_t count = (size_t)w_.coupling_count;
        bool fits = side_first_.size() == count + 1 && side_first_[0] == 0 &&
                    (size_t)side_first_[count] == side_body_.size();
        for (size_t c = 0; fits && c < count; ++c) fits = side_first_[c] <= side_first_[c + 1];
        for (int32_t b : side_body_) fits = fits && is_body(b);
        for (int32_t n = 0; fits && w_.model && n < model_.term_count; ++n) {
            fits = false;
            for (int32_t j = 0; j < w_.bond_count; ++j) {
                const int32_t *bond = bonds_.data() + 5LL * j, k = model_.term_v[n] - bond[4];
                const bool is_ball = bond[0] == SPHERICAL || bond[0] == FREE;
                if (k < 0 || k >= impulse::BOND_NV[bond[0]] || is_ball) continue;
                fits = model_.term_q[n] == bond[3] + k && has_sides(n, bond[1], bond[2]);
            }
        }
        want(fits, "the couplings");
    }
    // Whether both bodies are among the sides of a term's coupling.
    bool has_sides(int32_t term, int32_t a, int32_t b) const {
        size_t c = 0;
        while (model_.term_start[c + 1] <= term) ++c;
        const auto first = side_body_.begin() + side_first_[c];
        const auto last = side_body_.begin() + side_first_[c + 1];
        return std::find(first, last, a) != last && std::find(first, last, b) != last;
    }
    int32_t sides_of(int32_t column) const {
        const int32_t c = order_tie_[(size_t)column] - w_.bond_count;
        return c < 0 ? 2 : side_first_[(size_t)c + 1] - side_first_[(size_t)c];
    }
    bool is_body(int32_t b) const { return b >= 0 && b < w_.body_count; }
    void check_order() {
        const size_t count = order_tie_.size(), blocks = order_row_.size();
        bool fits = order_first_.size() == count + 1 && update_first_.size() == count + 1 &&
                    order_first_[0] == 0 && (size_t)order_first_[count] == blocks &&
                    update_first_[0] == 0 && (size_t)update_first_[count] == update_.size() &&
                    pieces_.size() % 4 == 0;
        for (int32_t j : order_tie_) fits = fits && j >= 0 && j < w_.tie_count;
        for (int32_t c : order_row_) fits = fits && c >= 0 && (size_t)c < count;
        for (size_t c = 0; fits && c < count; ++c) {
            const int64_t n = order_first_[c + 1] - order_first_[c];
            fits = n >= 0 && update_first_[c + 1] - update_first_[c] == n * (n + 1) / 2;
        }
        for (int32_t to : update_)
            fits = fits && (to < 0 ? (size_t)(-1 - (int64_t)to) < count : (size_t)to < blocks);
        for (size_t i = 0; fits && i < pieces_.size(); i += 4)
            fits = pieces_[i] >= 0 && (size_t)pieces_[i] < blocks && pieces_[i + 3] >= 0 &&
                   (size_t)pieces_[i + 3] < count && pieces_[i + 1] >= 0 &&
                   pieces_[i + 1] < sides_of(order_row_[(size_t)pieces_[i]]) &&
                   pieces_[i + 2] >= 0 && pieces_[i + 2] < sides_of(pieces_[i + 3]);
        fits = fits && sweep_.size() % 3 == 0;
        for (size_t i = 0; fits && i < sweep_.size(); i += 3)
            fits = sweep_[i] >= 0 && sweep_[i] < w_.bond_count && (sweep_[i + 1] & ~1) == 0;
        want(fits, "the order");
    }
    void point() {
        w_.body = bodies_.data();
        w_.bond = bonds_.data();
        w_.bond_numbers = bond_numbers_.data();
        w_.axis = axes_.data();
        w_.gravity = gravity_.data();
        w_.curve_first = curve_first_.data();
        w_.curve = curve_.data();
        w_.curve_closed = curve_closed_.data();
        w_.side_first = side_first_.data();
        w_.side_body = side_body_.data();
        impulse::Order& o = w_.order;
        o.count = (int32_t)order_tie_.size();
        o.tie = order_tie_.data();
        o.first = order_first_.data();
        o.row = order_row_.data();
        o.block_count = (int32_t)order_row_.size();
        o.update_first = update_first_.data();
        o.update = update_.data();
        o.piece_count = (int32_t)(pieces_.size() / 4);
        o.piece = pieces_.data();
        o.sweep_count = (int32_t)(sweep_.size() / 3);
        o.sweep = sweep_.data();
    }
    void make_limits() { make_limits(impulse::count_limits(w_)); }
    void make_limits(int32_t capacity) {
        w_.limit_capacity = capacity;
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
    std::unique_ptr<OwnShapes> shapes_;
    std::vector<int32_t> link_body_;
    std::vector<double> X_BL_, X_WL_, reach_;
    double margin_ = 0;
    std::vector<double> bodies_;
    std::vector<int32_t> bonds_;
    std::vector<double> bond_numbers_, axes_, gravity_;
    std::vector<int32_t> curve_first_;
    std::vector<double> curve_;
    std::vector<int32_t> curve_closed_, order_tie_, order_first_, order_row_, update_first_,
        update_, pieces_, sweep_;
    std::vector<int32_t> model_ints_;
    std::vector<double> model_reals_;
    std::vector<int32_t> side_first_, side_body_;
    Model model_{};
    std::vector<int32_t> touches_, loads_;
    std::vector<double> touch_numbers_, load_numbers_, efforts_;
    std::vector<double> reals_, limit_reals_;
    std::vector<int32_t> ints_;
    std::vector<impulse::Rows> rows_;
    std::vector<impulse::Limit> limits_;
    impulse::World w_{};
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
