// States of a unit: all that its next steps depend on, as one row of numbers.
#include <math.h>

#include "fmu/mechanism_unit.hpp"
#include "kernel/reduced/engine.hpp"

namespace kinegen::fmu {

namespace {

// Numbers before those that for_state() lists; the last two: how many contacts, and how many stops
// and frictions beside them, follow behind all.
constexpr int64_t STATE_HEAD = 13, STATE_INTEGRATOR = 7, STATE_CONTACTS = 11, STATE_HELD = 12;

bool is_count(double number, int64_t most) {
    return number >= 0 && number <= (double)most && number == rint(number);
}

}  // namespace

template <class Take>
void MechanismUnit::for_state(Take take) const {
    const ReducedEngine& e = engine_;
    take(e.q, model_.nq);
    take(e.v, model_.nv);
    take(e.tau, model_.nv);
    take(e.held_impulse, model_.nv);
    take(external_.data(), model_.nv);
    take(own_.data(), (int64_t)own_.size());
    for (const std::vector<double>* part : {&numbers_, &points_a_, &points_b_})
        take(part->data(), (int64_t)part->size());
    take(values_.data(), (int64_t)values_.size());
    take(is_set_.data(), (int64_t)is_set_.size());
    for (const std::vector<double>* part : {&motors_.rows, &motors_.targets, &motors_.state})
        take(part->data(), (int64_t)part->size());
}

std::vector<double> MechanismUnit::state() const {
    const ReducedEngine& e = engine_;
    std::vector<double> out{(double)begun_,
                            (double)is_due_,
                            start_time_,
                            e.time,
                            e.work,
                            trial_,
                            e.step,
                            (double)e.integrator,
                            e.refine,
                            e.left.linear,
                            (double)motors_.are_stiff,
                            (double)contacts_.count(),
                            (double)contacts_.held_count()};
    for_state(
        [&](const double* from, int64_t count) { out.insert(out.end(), from, from + count); });
    const int32_t* pairs = contacts_.kept_pairs();
    out.insert(out.end(), pairs, pairs + 2LL * contacts_.count());
    const std::vector<double> rows = contacts_.kept_rows();
    out.insert(out.end(), rows.begin(), rows.end());
    const std::vector<double> held = contacts_.kept_held();
    out.insert(out.end(), held.begin(), held.end());
    return out;
}

int64_t MechanismUnit::fixed_size() const {
    int64_t size = STATE_HEAD;
    for_state([&](const double*, int64_t count) { size += count; });
    return size;
}

bool MechanismUnit::is_state(const double* state, int64_t size) const {
    const int64_t fixed = fixed_size();
    if (size < fixed || !is_count(state[STATE_INTEGRATOR], ADAPTIVE)) return false;
    if (!is_count(state[STATE_CONTACTS], size) || !is_count(state[STATE_HELD], size)) return false;
    const int64_t contacts = (int64_t)state[STATE_CONTACTS], held = (int64_t)state[STATE_HELD];
    if (size != fixed + (2 + KEPT_CONTACT) * contacts + 2 * held) return false;
    for (int64_t i = 0; i < 2 * contacts; ++i)
        if (!(state[fixed + i] >= 0 && state[fixed + i] < contacts_.shape_count())) return false;
    return true;
}

void MechanismUnit::go_to(const double* state, int64_t size) {
    if (!is_state(state, size)) throw UnitError{"the state is that of another unit"};
    const double* from = state + STATE_HEAD;
    // the numbers first: the engine makes room for them
    const int64_t moving = model_.nq + 4LL * model_.nv;
    copy_all(own_.data(), from + moving, (int64_t)own_.size());
    go_back(from, from + model_.nq, from + model_.nq + 2LL * model_.nv, state[3], state[4],
            state[5]);
    for_state([&](const double* to, int64_t count) {
        copy_all(const_cast<double*>(to), from, count);
        from += count;
    });
    begun_ = state[0] != 0;
    is_due_ = state[1] != 0;
    start_time_ = state[2];
    engine_.step = state[6];
    engine_.integrator = (int32_t)state[STATE_INTEGRATOR];
    engine_.refine = state[8];
    engine_.left.linear = state[9];
    contacts_.set(engine_.integrator, engine_.refine);
    motors_.are_stiff = state[10] != 0;
    const std::vector<int32_t> pairs(from, from + 2 * (int64_t)state[STATE_CONTACTS]);
    from += pairs.size();
    contacts_.resume((int32_t)state[STATE_CONTACTS], pairs.data(), from);
    contacts_.resume_held((int32_t)state[STATE_HELD],
                          from + KEPT_CONTACT * (int64_t)state[STATE_CONTACTS]);
    trouble_.clear();
    is_posed_ = false;
}

}  // namespace kinegen::fmu
