// Contacts of the reduced engine, found and met in its steps.
#include "reduced/contacts.hpp"

#include <utility>

namespace kinegen {

namespace {

// Way of any variable in a step [rad, m] below which mechanisms move calmly: what a step of order
// two errs by, its third power, is near rounding then.
constexpr double CALM = 1e-3;

}  // namespace

// Bodies that press on each other while they move calmly need no more than second order.
void ReducedTouching::choose_order() {
    ReducedEngine& e = engine_;
    copy_all(v_start_.data(), e.v, model().nv);
    bool pressed = false;
    for (int32_t i = 0; i < found_; ++i)
        pressed = pressed || known_impulses_[(size_t)CONTACT_ROWS * (size_t)i] > 0;
    double fast = 0;
    for (int32_t i = 0; i < model().nv; ++i) fast = larger(fast, fabs(e.v[i]));
    const bool easy = eases_ && pressed && fast * e.step < CALM;
    e.integrator = easy ? SEMI_IMPLICIT : integrator_;
    e.refine = easy ? larger(refine_, easy_refine_) : refine_;
}

void ReducedTouching::touch(std::unique_ptr<OwnShapes> shapes, std::vector<double> reach,
                            double margin) {
    reach_ = std::move(reach);
    shapes_ = std::move(shapes);
    source_ = TouchSource{};
    source_.reach = reach_.data();
    source_.margin = margin;
    v_start_.assign((size_t)model().nv, 0);
    engine_.meets_later = true;
    found_ = 0;
}

int64_t ReducedTouching::run(int64_t steps, double& trial, RunStopper stop) {
    const StepContacts contacts{[](void* own) { ((ReducedTouching*)own)->choose_order(); },
                                [](void* own) { ((ReducedTouching*)own)->meet_found(); }, this};
    const int64_t done = run_engine(engine_, steps, trial, stop, contacts);
    engine_.integrator = integrator_;
    engine_.refine = refine_;
    return done;
}

const ContactList& ReducedTouching::list() const {
    static const ContactList EMPTY{};
    return shapes_ ? shapes_->list : EMPTY;
}

void ReducedTouching::impulse(int32_t contact, double* out) const {
    world_impulse(list().normals + 3LL * contact,
                  known_impulses_.data() + (int64_t)CONTACT_ROWS * contact, out);
}

std::vector<double> ReducedTouching::kept_rows() const {
    const ContactList& found = list();
    std::vector<double> rows;
    rows.reserve((size_t)(KEPT_CONTACT * found_));
    for (int64_t i = 0; i < found_; ++i) {
        const double* impulses = known_impulses_.data() + CONTACT_ROWS * i;
        rows.insert(rows.end(), found.points + 3 * i, found.points + 3 * i + 3);
        rows.insert(rows.end(), found.normals + 3 * i, found.normals + 3 * i + 3);
        rows.push_back(found.distances[i]);
        rows.insert(rows.end(), impulses, impulses + CONTACT_ROWS);
    }
    return rows;
}

void ReducedTouching::resume(int32_t count, const int32_t* pairs, const double* rows) {
    found_ = source_.known = shapes_ ? count : 0;
    if (!shapes_) return;
    known_shapes_.assign(pairs, pairs + 2LL * count);
    known_impulses_.resize((size_t)CONTACT_ROWS * (size_t)count);
    if (shapes_->list.capacity < count) shapes_->make_room(count);
    ContactList& found = shapes_->list;
    found.count = count;
    for (int64_t i = 0; i < count; ++i) {
        const double* row = rows + KEPT_CONTACT * i;
        for (int k = 0; k < 2; ++k) found.shapes[2 * i + k] = pairs[2 * i + k];
        copy_all(found.points + 3 * i, row, 3);
        copy_all(found.normals + 3 * i, row + 3, 3);
        found.distances[i] = row[6];
        copy_all(known_impulses_.data() + CONTACT_ROWS * i, row + 7, CONTACT_ROWS);
    }
}

std::vector<double> ReducedTouching::kept_held() const {
    std::vector<double> rows;
    for (size_t i = 0; i < (size_t)touches_.held_known; ++i)
        rows.insert(rows.end(), {(double)held_[i].place, held_[i].p});
    return rows;
}

void ReducedTouching::resume_held(int32_t count, const double* rows) {
    held_.resize((size_t)count);
    touches_.held_known = count;
    for (int64_t i = 0; i < count; ++i) {
        const double place = rows[2 * i];
        const bool is_known = place >= 0 && place < 3.0 * model().nv;
        held_[(size_t)i] = {is_known ? (int32_t)place : -1, rows[2 * i + 1]};
    }
}

void ReducedTouching::make_touches(int32_t count, Touches& c) {
    Arena<double> real_count{nullptr, 0};
    Arena<int32_t> int_count{nullptr, 0};
    lay_out_touches(engine_, count, real_count, int_count, c);
    if ((int64_t)touch_reals_.size() < real_count.used)
        touch_reals_.resize(2 * (size_t)real_count.used);
    if ((int64_t)touch_ints_.size() < int_count.used)
        touch_ints_.resize(2 * (size_t)int_count.used);
    Arena<double> reals{touch_reals_.data(), 0};
    Arena<int32_t> ints{touch_ints_.data(), 0};
    lay_out_touches(engine_, count, reals, ints, c);
}

void ReducedTouching::meet_given(Touches& c) {
    std::vector<HeldGuess> held((size_t)engine_.held_capacity);
    c.held = held.data();
    engine_.report.stops = 0;
    use_springs_as_rows(engine_.system, false);
    assemble_dense(engine_, engine_.q, nullptr);
    move_tree(engine_.system.tree, engine_.v);
    meet_contacts(engine_, c, engine_.step);
    keep_stops(engine_);
}

void ReducedTouching::meet_found() {
    ReducedEngine& e = engine_;
    ReducedTree& t = e.system.tree;
    Shapes& s = shapes_->shapes;
    use_springs_as_rows(e.system, false);
    // the place may be that of a stiffened system, or not be there at all
    if (e.integrator == IMPLICIT) e.is_dense = false;
    need_dense(e, e.q, nullptr);
    move_tree(t, e.v);
    const double reach = 2 * e.step * fastest_point(t, source_.reach);
    place_shapes(s, t.X);
    ContactList& list = shapes_->find(larger(source_.margin, reach));
    const int32_t count = found_ = list.count;
    make_touches(count, touches_);
    link_a_found_.resize((size_t)count);
    link_b_found_.resize((size_t)count);
    surfaces_.resize(4 * (size_t)count);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t a = list.shapes[2 * i], b = list.shapes[2 * i + 1];
        link_a_found_[(size_t)i] = s.link(a);
        link_b_found_[(size_t)i] = s.link(b);
        join_surfaces(s.surfaces + SURFACE_SIZE * (int64_t)a,
                      s.surfaces + SURFACE_SIZE * (int64_t)b, surfaces_.data() + 4LL * i);
    }
    source_.list = list;
    source_.known_shapes = known_shapes_.data();
    source_.known_impulses = known_impulses_.data();
    guess_impulses(source_, touches_.impulses);
    touches_.link_a = link_a_found_.data();
    touches_.link_b = link_b_found_.data();
    touches_.points = list.points;
    touches_.normals = list.normals;
    touches_.distance = list.distances;
    touches_.surface = surfaces_.data();
    touches_.v_start = v_start_.data();
    if ((int32_t)held_.size() < e.held_capacity) held_.resize((size_t)e.held_capacity);
    touches_.held = held_.data();
    e.report.stops = 0;
    meet_contacts(e, touches_, e.step);
    keep_stops(e);
    known_shapes_.assign(list.shapes, list.shapes + 2LL * count);
    known_impulses_.assign(touches_.impulses, touches_.impulses + (int64_t)CONTACT_ROWS * count);
    source_.known = count;
    use_springs_as_rows(e.system, e.integrator == IMPLICIT);
}

}  // namespace kinegen
