// Mobility, free motion, velocities and accelerations for the page;
// docs/reference/webassembly.md describes the calls.
#include "kernel/loops/mobility.hpp"
#include "kernel/solver/state.hpp"
#include "kernel/loops/velocity.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

// Scratch for what a function lays out in two passes; false when memory ran out.
struct Room {
    double* reals = nullptr;
    int32_t* ints = nullptr;
    Room() = default;
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() {
        free(reals);
        free(ints);
    }
    template <class LayOut>
    bool make(LayOut lay_out) {
        Arena<double> count_reals{nullptr, 0};
        Arena<int32_t> count_ints{nullptr, 0};
        lay_out(count_reals, count_ints);
        if (count_reals.used > INT32_MAX / 8 - 1 || count_ints.used > INT32_MAX / 4 - 1)
            return false;
        reals = static_cast<double*>(calloc((size_t)count_reals.used + 1, sizeof(double)));
        ints = static_cast<int32_t*>(calloc((size_t)count_ints.used + 1, sizeof(int32_t)));
        if (reals == nullptr || ints == nullptr) return false;
        Arena<double> take_reals{reals, 0};
        Arena<int32_t> take_ints{ints, 0};
        lay_out(take_reals, take_ints);
        return true;
    }
};

// The groups of a model's loops; numbers has loop_count + 2 joint_count ints, zero.
void find_groups(const Model& m, int32_t* numbers, LoopGroups& g) {
    g.loop_group = numbers;
    g.joint_group = numbers + m.loop_count;
    find_loop_groups(m, g.joint_group + m.joint_count, g);
}
int64_t group_numbers(const Model& m) { return (int64_t)m.loop_count + 2 * (int64_t)m.joint_count; }

// Memory of a count of degrees of freedom.
struct PageMobility {
    Scratch<int32_t> numbers;
    Scratch<double> directions;
    Room room;
    MobilityMemory s;
    bool is_there;
    explicit PageMobility(const Model& m)
        : numbers(group_numbers(m)), directions((int64_t)m.nv * m.nv), is_there(false) {
        if (!numbers || !directions) return;
        find_groups(m, numbers.data, s.groups);
        is_there = room.make([&](Arena<double>& reals, Arena<int32_t>& ints) {
            lay_out_mobility(m, reals, ints, s);
        });
    }
};

bool is_mask(const int32_t* mask, int32_t count, int32_t nv) {
    return count == 0 || fits(mask, count, nv);
}

bool is_tolerance(double tolerance) { return tolerance > 0 && tolerance < 1 / RANK_CLEAR; }

// Velocities, or accelerations when v is not null.
int32_t find_page_motion(const Model& m, const double* q, int32_t q_count, const double* v,
                         const int32_t* driven, int32_t driven_count, const double* values,
                         int32_t value_count, const int32_t* frames, int32_t frame_numbers,
                         const double* frame_values, int32_t frame_value_count, double* out,
                         int32_t out_count, double* report, int32_t report_count) {
    MotionInputs in;
    in.driven = driven;
    in.values = values;
    in.frames = frames;
    in.frame_values = frame_values;
    in.frame_count = frame_numbers / 2;
    in.v = v;
    if (!fits(q, q_count, m.nq) || !fits(driven, driven_count, m.nv) ||
        !fits(values, value_count, m.nv) || !readable(frames, frame_numbers) ||
        frame_numbers % 2 != 0 || !fits(frame_values, frame_value_count, 6LL * in.frame_count) ||
        !fits(out, out_count, m.nv) || !fits(report, report_count, 3))
        return BAD_SIZE;
    for (int32_t f = 0; f < in.frame_count; ++f) {
        const int32_t rows = frames[2 * f + 1];
        if (frames[2 * f] < 0 || frames[2 * f] >= m.site_count()) return BAD_INDEX;
        if (rows != 3 && rows != 6) return BAD_NUMBER;
    }
    if (!velocities_fit(m)) return BAD_INDEX;
    Scratch<int32_t> numbers(group_numbers(m));
    if (!numbers) return NO_MEMORY;
    MotionMemory s;
    find_groups(m, numbers.data, s.groups);
    const int32_t rows = input_rows(m, in);
    Room room;
    if (!room.make([&](Arena<double>& reals, Arena<int32_t>& ints) {
            lay_out_motion(m, rows, reals, ints, s);
        }))
        return NO_MEMORY;
    MotionReport r;
    const int32_t status =
        find_motion(m, s, q, in, characteristic_length(m), out, s.missed, nullptr, r);
    if (status != OK) return status;
    report[0] = r.residual;
    report[1] = r.smallest;
    report[2] = r.free_count;
    return OK;
}

}  // namespace

// Counts the degrees of freedom at q, which is moved to where the loops are closed. locked, motors:
// nv ints or none. values: singular values, room for 6 per loop. report: eleven numbers.
EXPORT(kg_mobility)(int32_t handle, double* q, int32_t q_count, const int32_t* locked,
                    int32_t locked_count, const int32_t* motors, int32_t motor_count,
                    double tolerance, double* values, int32_t value_count, double* report,
                    int32_t report_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !is_mask(locked, locked_count, m.nv) ||
        !is_mask(motors, motor_count, m.nv) || !fits(values, value_count, 6LL * m.loop_count) ||
        !fits(report, report_count, MOBILITY_REPORT_SIZE))
        return BAD_SIZE;
    if (!is_tolerance(tolerance)) return BAD_NUMBER;
    if (!velocities_fit(m)) return BAD_INDEX;
    PageMobility memory(m);
    if (!memory.is_there) return NO_MEMORY;
    MobilityReport r;
    const int32_t status =
        find_mobility(m, memory.s, q, locked_count ? locked : nullptr,
                      motor_count ? motors : nullptr, tolerance, values, memory.directions.data, r);
    if (status != OK) return status;
    for (int32_t i = r.value_count; i < value_count; ++i) values[i] = 0;
    write_report(r, report);
    return OK;
}

// The free motions at q, whose loops must be closed: orthonormal, one after the other, nv numbers
// each. Returns how many there are; with no numbers to write only that, else BAD_SIZE if their room
// is not exactly that of all.
EXPORT(kg_free_motion)(int32_t handle, const double* q, int32_t q_count, const int32_t* locked,
                       int32_t locked_count, double tolerance, double* motions,
                       int32_t motion_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !is_mask(locked, locked_count, m.nv) ||
        !readable(motions, motion_count))
        return BAD_SIZE;
    if (!is_tolerance(tolerance)) return BAD_NUMBER;
    if (!velocities_fit(m)) return BAD_INDEX;
    if (largest(q, m.nq) < 0) return NOT_FINITE;
    PageMobility memory(m);
    if (!memory.is_there) return NO_MEMORY;
    const int32_t count = free_motions(m, memory.s, q, locked_count ? locked : nullptr, tolerance,
                                       motion_count ? memory.directions.data : nullptr);
    if (count < 0 || motion_count == 0) return count;
    if (motion_count != (int64_t)count * m.nv) return BAD_SIZE;
    copy_all(motions, memory.directions.data, motion_count);
    return count;
}

// Velocities of all joints for given ones at q, whose loops must be closed. driven: nv ints, 1
// where a value is given; frames: site and rows (3: linear, 6: linear, angular) each, with six
// numbers per frame in world axes. report: residual, smallest singular value, motions left open.
EXPORT(kg_velocities)(int32_t handle, const double* q, int32_t q_count, const int32_t* driven,
                      int32_t driven_count, const double* values, int32_t value_count,
                      const int32_t* frames, int32_t frame_numbers, const double* frame_values,
                      int32_t frame_value_count, double* v, int32_t v_count, double* report,
                      int32_t report_count)
    ->int32_t {
    BIND(b, handle);
    return find_page_motion(m, q, q_count, nullptr, driven, driven_count, values, value_count,
                            frames, frame_numbers, frame_values, frame_value_count, v, v_count,
                            report, report_count);
}

// Accelerations in the same way, while the joints move with v, which must keep the loops closed.
EXPORT(kg_accelerations)(int32_t handle, const double* q, int32_t q_count, const double* v,
                         int32_t v_count, const int32_t* driven, int32_t driven_count,
                         const double* values, int32_t value_count, const int32_t* frames,
                         int32_t frame_numbers, const double* frame_values,
                         int32_t frame_value_count, double* vdot, int32_t vdot_count,
                         double* report, int32_t report_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(v, v_count, m.nv)) return BAD_SIZE;
    return find_page_motion(m, q, q_count, v, driven, driven_count, values, value_count, frames,
                            frame_numbers, frame_values, frame_value_count, vdot, vdot_count,
                            report, report_count);
}

// Twists and accelerations of all sites, links first, six numbers each: linear, then angular, world
// axes.
EXPORT(kg_site_motions)(int32_t handle, const double* q, int32_t q_count, const double* v,
                        int32_t v_count, const double* vdot, int32_t vdot_count, double* twists,
                        int32_t twist_count, double* accelerations, int32_t acceleration_count)
    ->int32_t {
    BIND(b, handle);
    const int64_t wanted = 6LL * m.site_count();
    if (!fits(q, q_count, m.nq) || !fits(v, v_count, m.nv) || !fits(vdot, vdot_count, m.nv) ||
        !fits(twists, twist_count, wanted) || !fits(accelerations, acceleration_count, wanted))
        return BAD_SIZE;
    Scratch<double> links(6 * (int64_t)m.link_count);
    if (!links) return NO_MEMORY;
    link_accelerations(m, q, v, vdot, b->links, b->twists, links.data);
    for (int32_t site = 0; site < m.site_count(); ++site)
        site_motion(m, b->links, b->twists, links.data, site, twists + 6 * site,
                    accelerations + 6 * site);
    return OK;
}
