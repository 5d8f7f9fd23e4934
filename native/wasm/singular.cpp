// The singularity monitor for the page: one per bound model, made when it begins to watch.
#include "kernel/singular/monitor.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

constexpr int32_t BRANCH_INTS = record::BranchInts::COUNT;

// A monitor with its memory.
struct PageMonitor {
    SingularityMonitor monitor;
    Model model;
    double* reals;
    int32_t* ints;
    int64_t real_count;
};

ByHandle<PageMonitor> monitors;

PageMonitor* make_monitor(const Model& m, int64_t real_count) {
    const int64_t int_count = monitor_ints(m);
    if (real_count > INT32_MAX / 8 || int_count > INT32_MAX / 8) return nullptr;
    PageMonitor* p = static_cast<PageMonitor*>(calloc(1, sizeof(PageMonitor)));
    if (p == nullptr) return nullptr;
    p->model = m;
    p->real_count = real_count;
    p->reals = static_cast<double*>(malloc((size_t)real_count * sizeof(double)));
    p->ints = static_cast<int32_t*>(malloc((size_t)int_count * sizeof(int32_t)));
    if (p->reals == nullptr || p->ints == nullptr) {
        monitors.release(p);
        return nullptr;
    }
    lay_out_monitor(p->model, p->reals, real_count, p->ints, int_count, p->monitor);
    return p;
}

// Runs a call again with more memory until it has enough; what it returns, or NO_MEMORY.
template <class Call>
int32_t run(int32_t handle, const Call& call) {
    for (;;) {
        PageMonitor* p = monitors.find(handle);
        const int32_t status = call(p->monitor);
        if (!p->monitor.stack.overflow) return status;
        PageMonitor* larger = make_monitor(p->model, 2 * p->real_count);
        if (larger == nullptr) return NO_MEMORY;
        continue_watch(p->monitor, larger->monitor);
        monitors.replace(handle, larger);
    }
}

bool is_finite(const double* a, int32_t count) { return largest(a, count) >= 0; }

// Whether a heading's arrays fit and name things that exist.
int32_t check_heading(const Model& m, const int32_t* ints, int32_t int_count, const double* reals,
                      int32_t real_count, bool may_be_none) {
    if (!fits(ints, int_count, (int64_t)HEADING_INTS + m.nv) ||
        !fits(reals, real_count, (int64_t)HEADING_REALS + m.nv))
        return BAD_SIZE;
    if (!heading_exists(m, ints, may_be_none)) return BAD_INDEX;
    return is_finite(reals, real_count) ? (int32_t)OK : (int32_t)NOT_FINITE;
}

}  // namespace

// Names the monitor of a handle that is watching, or returns.
#define WATCHING(p, handle)                       \
    BIND(bound_##p, handle);                      \
    PageMonitor* const p = monitors.find(handle); \
    if (p == nullptr || !p->monitor.watching) return BAD_HANDLE

void kinegen::forget_monitor(int32_t handle) { monitors.forget(handle); }

// Chooses what is watched from now on: frames (aims), and the joints that are driven (a mark per
// joint), seen from a closed pose q. Kinds of -1 are decided in place. ranks: of the loops, the
// frames' rows, the passive rows, the inputs' rows. Returns a Status.
EXPORT(kg_singular_watch)(int32_t handle, const double* q, int32_t q_count, int32_t* aim_ints,
                          int32_t aim_int_count, const double* aim_reals, int32_t aim_real_count,
                          const int32_t* inputs, int32_t input_count, int32_t* ranks,
                          int32_t rank_count)
    ->int32_t {
    BIND(b, handle);
    const int32_t count = aim_int_count / AIM_INTS;
    if (!fits(q, q_count, m.nq) || !fits(aim_ints, aim_int_count, (int64_t)AIM_INTS * count) ||
        !fits(aim_reals, aim_real_count, (int64_t)AIM_REALS * count) ||
        !fits(inputs, input_count, m.joint_count) || !fits(ranks, rank_count, record::Ranks::COUNT))
        return BAD_SIZE;
    if (!aims_exist(m, aim_ints, count)) return BAD_INDEX;
    if (!is_finite(q, q_count) || !is_finite(aim_reals, aim_real_count)) return NOT_FINITE;
    if (!monitors.reserve(handle)) return NO_MEMORY;
    if (monitors.find(handle) == nullptr)
        monitors.replace(handle, make_monitor(m, monitor_reals(m)));
    if (monitors.find(handle) == nullptr) return NO_MEMORY;
    const int32_t status = run(handle, [&](SingularityMonitor& c) {
        return monitor_watch(c, q, aim_ints, aim_reals, count, inputs);
    });
    const Probe& p = monitors.find(handle)->monitor.probe;
    ranks[record::Ranks::LOOPS] = p.loop_rank;
    ranks[record::Ranks::TASK] = p.task_rank;
    ranks[record::Ranks::PASSIVE] = p.gain_rank;
    ranks[record::Ranks::INPUTS] = p.drive_rank;
    return status;
}

// The gauge: distances of both kinds (infinite where a kind does not exist) and the values of the
// first, as many as its rank. Returns the kind: 0 task, 1 gain, 2 both, 3 none; or negative.
EXPORT(kg_singular_measure)(int32_t handle, const double* q, int32_t q_count, double* distance,
                            int32_t distance_count, double* values, int32_t value_count)
    ->int32_t {
    WATCHING(p, handle);
    if (!fits(q, q_count, m.nq) || !fits(distance, distance_count, 2) ||
        !fits(values, value_count, p->monitor.probe.task_rank))
        return BAD_SIZE;
    if (!is_finite(q, q_count)) return NOT_FINITE;
    return run(handle,
               [&](SingularityMonitor& c) { return monitor_measure(c, q, distance, values); });
}

// What is concerned, for the words: the direction that the frames lose (or have least of), the
// joint motion that leaves them where they are, and the one that the inputs do not hold; lengths
// scaled. counts: how many directions are lost, how many motions gained, whether the loops lose
// rank. Returns the kind, or negative.
EXPORT(kg_singular_directions)(int32_t handle, const double* q, int32_t q_count, double* lost,
                               int32_t lost_count, double* standing, int32_t standing_count,
                               double* gained, int32_t gained_count, int32_t* counts,
                               int32_t count_count)
    ->int32_t {
    WATCHING(p, handle);
    if (!fits(q, q_count, m.nq) || !fits(lost, lost_count, p->monitor.probe.watched.rows) ||
        !fits(standing, standing_count, m.nv) || !fits(gained, gained_count, m.nv) ||
        !fits(counts, count_count, 3))
        return BAD_SIZE;
    if (!is_finite(q, q_count)) return NOT_FINITE;
    return run(handle, [&](SingularityMonitor& c) {
        double distance[2];
        const int32_t kind = monitor_measure(c, q, distance, nullptr);
        Level level(c.stack);
        const Weakest w = weakest(c.probe, q, c.probe.watched, c.probe.task_rank);
        double* motions = c.stack.reals((int64_t)(c.probe.gain_rank + 1) * m.nv);
        clear_all(motions, m.nv);
        const int32_t gains = gained_motions(c.probe, q, motions);
        clear_all(lost, lost_count);
        clear_all(standing, m.nv);
        if (w.count > 0) {
            copy_all(lost, w.lost, lost_count);
            copy_all(standing, w.standing, m.nv);
        }
        copy_all(gained, motions, m.nv);
        counts[0] = w.count;
        counts[1] = gains;
        counts[2] = is_branch_point(c.probe, q);
        return kind;
    });
}

// The first singular pose on a heading. options: record::AheadOptions; report: record::AheadReals;
// ints: record::AheadInts. q_singular: the pose, or where the search ended. Returns 0, 1 (the
// heading goes nowhere) or negative.
EXPORT(kg_singular_ahead)(int32_t handle, const double* q, int32_t q_count,
                          const int32_t* heading_ints, int32_t heading_int_count,
                          const double* heading_reals, int32_t heading_real_count,
                          const double* options, int32_t option_count, double* q_singular,
                          int32_t q_singular_count, double* report, int32_t report_count,
                          int32_t* ints, int32_t int_count)
    ->int32_t {
    WATCHING(p, handle);
    if (!fits(q, q_count, m.nq) || !fits(options, option_count, record::AheadOptions::COUNT) ||
        !fits(q_singular, q_singular_count, m.nq) ||
        !fits(report, report_count, record::AheadReals::COUNT) ||
        !fits(ints, int_count, record::AheadInts::COUNT))
        return BAD_SIZE;
    const int32_t checked =
        check_heading(m, heading_ints, heading_int_count, heading_reals, heading_real_count, false);
    if (checked != OK) return checked;
    if (!is_finite(q, q_count)) return NOT_FINITE;
    using option = record::AheadOptions;
    if (!(options[option::STEP] > 0)) return BAD_NUMBER;
    Ahead ahead{};
    bool is_length = false;
    const int32_t status = run(handle, [&](SingularityMonitor& c) {
        return monitor_ahead(c, q, heading_ints, heading_reals, options[option::REACH],
                             options[option::USE_LIMITS] != 0, options[option::STEP],
                             options[option::TOLERANCE], ahead, is_length);
    });
    if (status != DONE) return status;
    const SingularityMonitor& c = monitors.find(handle)->monitor;
    copy_all(q_singular, c.path + (int64_t)(ahead.path_count - 1) * m.nq, m.nq);
    report[record::AheadReals::DISTANCE] = ahead.distance;
    report[record::AheadReals::TASK] = ahead.distances[KIND_TASK];
    report[record::AheadReals::GAIN] = ahead.distances[KIND_GAIN];
    using found = record::AheadInts;
    ints[found::END] = ahead.end;
    ints[found::KIND] = ahead.end == END_FOUND ? kind_of(ahead.distances) : (int32_t)KIND_NONE;
    ints[found::IS_LENGTH] = is_length;
    ints[found::POSE_COUNT] = ahead.path_count;
    return DONE;
}

// The singular pose on a heading, or the nearest one without (heading type -1), and its branches.
// kind: 0 or 1 when only that one is meant, else -1. ints: record::OutlookInts; branch_ints:
// BRANCH_LIMIT times record::BranchInts. phantoms: a pose beyond on each. Returns 0, a
// MonitorStatus, or negative.
EXPORT(kg_singular_branches_beyond)(int32_t handle, const double* q, int32_t q_count,
                                    const int32_t* heading_ints, int32_t heading_int_count,
                                    const double* heading_reals, int32_t heading_real_count,
                                    int32_t kind, double amplitude, double* q_singular,
                                    int32_t q_singular_count, int32_t* ints, int32_t int_count,
                                    int32_t* branch_ints, int32_t branch_int_count,
                                    double* phantoms, int32_t phantom_count)
    ->int32_t {
    WATCHING(p, handle);
    if (!fits(q, q_count, m.nq) || !fits(q_singular, q_singular_count, m.nq) ||
        !fits(ints, int_count, record::OutlookInts::COUNT) ||
        !fits(branch_ints, branch_int_count, BRANCH_LIMIT * BRANCH_INTS) ||
        !fits(phantoms, phantom_count, (int64_t)BRANCH_LIMIT * m.nq))
        return BAD_SIZE;
    const int32_t checked =
        check_heading(m, heading_ints, heading_int_count, heading_reals, heading_real_count, true);
    if (checked != OK) return checked;
    if (kind < -1 || kind > KIND_GAIN) return BAD_INDEX;
    if (!is_finite(q, q_count)) return NOT_FINITE;
    if (!(amplitude > 0)) return BAD_NUMBER;
    int32_t singular = KIND_NONE;
    bool branch_point = false;
    const int32_t status = run(handle, [&](SingularityMonitor& c) {
        return monitor_branches_beyond(c, q, heading_ints, heading_reals, kind, amplitude, singular,
                                       branch_point);
    });
    if (status != DONE) return status;
    const SingularityMonitor& c = monitors.find(handle)->monitor;
    copy_all(q_singular, c.path + (int64_t)(c.path_count - 1) * m.nq, m.nq);
    ints[record::OutlookInts::KIND] = singular;
    ints[record::OutlookInts::IS_BRANCH_POINT] = branch_point;
    ints[record::OutlookInts::POSE_COUNT] = c.path_count;
    ints[record::OutlookInts::BRANCH_COUNT] = c.branch_count;
    for (int32_t i = 0; i < c.branch_count; ++i) {
        const BranchBeyond& s = c.branches[i];
        using at = record::BranchInts;
        int32_t* row = branch_ints + BRANCH_INTS * i;
        row[at::KIND] = s.kind;
        row[at::CROSSES] = s.crosses;
        row[at::SIGN] = s.sign;
        row[at::JOINT] = s.joint;
        row[at::OTHER] = s.other;
        row[at::SAME] = s.same;
        row[at::GOES_ON] = s.goes_on;
        row[at::LED] = s.led;
        row[at::POSE_COUNT] = c.path_count + s.count;
        copy_all(phantoms + (int64_t)i * m.nq, c.store + (int64_t)(s.first + s.count - 1) * m.nq,
                 m.nq);
    }
    return DONE;
}

// The way that the last of the two calls above found: to the singular pose (branch -1), or through
// it to a branch's phantom. With bounds (nv, or none) closed poses are put in between until no
// joint moves by more. Returns the number of poses; no array: only that, without bounds. Negative
// when the array is too short.
EXPORT(kg_singular_path)(int32_t handle, int32_t branch, const double* bounds, int32_t bound_count,
                         double* path, int32_t path_number_count)
    ->int32_t {
    WATCHING(p, handle);
    if ((bound_count != 0 && !fits(bounds, bound_count, m.nv)) || path_number_count < 0 ||
        (path_number_count > 0 && !readable(path, path_number_count)))
        return BAD_SIZE;
    if (branch < -1 || branch >= p->monitor.branch_count) return BAD_INDEX;
    for (int32_t k = 0; k < bound_count; ++k)
        if (!(bounds[k] > 0)) return BAD_NUMBER;
    const bool counts = path_number_count == 0;
    const int32_t made =
        monitor_path(p->monitor, branch, bound_count && !counts ? bounds : nullptr,
                     counts ? nullptr : path, m.nq > 0 ? path_number_count / m.nq : 0);
    return made < 0 ? (int32_t)BAD_SIZE : made;
}
