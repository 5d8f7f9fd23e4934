// The reduced engine: tree coordinates, loops closed exactly after every step.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/dynamics/forward.hpp"
#include "kernel/reduced/chart.hpp"
#include "kernel/reduced/elimination.hpp"
#include "kernel/reduced/protocol.hpp"

namespace kinegen {

// Gap at which closing ends [m, rad].
constexpr double CLOSED_GAP = 1e-13;
// Gap below which the factors of the open place serve the closed one as well. Semi-implicit steps
// that may open the loops further take them up to a share of that opening, unless it is so wide [m,
// rad] that it only says that no step is to be repeated.
constexpr double SMALL_GAP = 1e-9;
constexpr double SMALL_SHARE = 0.1;
constexpr double WIDEST_OPENING = 1;
constexpr int32_t CLOSING_LIMIT = 20;
// A step that opens the loops too far is repeated in halves, so many times at most.
constexpr int32_t REFINEMENTS = 7;

struct RunReport {
    double gap, angle_gap, velocity_gap;  // largest since the run began
    int32_t closings;                     // corrections of place
    int32_t evaluations;
    int32_t refined;  // steps repeated in halves
    int32_t stops;    // impulses of stops and of dry friction that holds
    int32_t status;
    int32_t culprit;  // degree of freedom without mass
};

struct Servos;

struct ReducedEngine {
    ReducedSystem system;
    ReducedGraph graph;
    ForwardMemory<double> bodies;
    // through singular places
    bool has_strong;  // whether there was a place where all rows were strong
    bool has_older;   // whether the strong place before it is known too, ...
    double strong_time;
    double strong_age;            // ... and how long before [s]
    double since_strong;          // from that state to the beginning of this step [s]
    double stage_offset;          // from there to the stage at hand [s]
    double* noted_q;              // where the last step began
    double noted_step;            // its length
    int32_t* direction_known;     // per row: whether its direction is known
    double *strong_q, *strong_v;  // the state there
    double *older_q, *older_v;    // and at the place before
    double* row_direction;  // per row: the direction that it held, over the degrees of freedom, ...
    double* row_direction_rate;  // ... and how fast that changes
    double* row_acceleration;    // per row: the acceleration along it
    double* row_jerk;            // per row: how fast that changes
    double *extrapolation_Y, *extrapolation_G, *extrapolation_x, *extrapolation_rows;  // scratch
    int32_t method;
    bool has_graph;            // whether the graph is numbered
    bool graph_fits;           // no joint of the file's tree that it cuts has a rotor
    bool graph_stiffens;       // nor a spring or damper
    bool is_placed, is_dense;  // what is known where the system is assembled: links, matrices
    double* body_tau;          // per v: efforts, as articulated bodies take them
    double step, time, work, tolerance;
    double refine;   // opening of the loops by one step [m, rad] that is too much
    Gaps left;       // what closing left open
    double opening;  // that of the last step, before it was closed
    int32_t integrator;
    bool with_stops, with_friction;
    bool meets_later;  // stops and friction are met together with contacts, after the step
    double restitution;
    bool cut_efforts;  // whether cut joints have springs, dampers or efforts
    int32_t spring_joint_count;
    int32_t* spring_joints;  // tree joints with a spring
    double* damper;          // per v: viscous friction and the spring's damper
    double *tau, *wrenches;  // loads: (nv), six per link
    bool has_wrenches;
    Servos* servos;  // where they are, tau is what they push with; null: tau is given
    double *q, *v;   // the state
    double *q_try, *v_try, *q_half, *v_half, *xi, *p0, *p, *a1, *a2, *a3, *a4;
    double *saved_q, *saved_v;  // states before steps that may be repeated, one per level
    double* stiffening;         // per variable
    double *cut_q, *axes;       // scratch of cut joints: q (nq), six axes
    // stops and dry friction
    double* stop_from;            // per v, lower and upper: room to that end where a step began
    double *stop_q, *stop_v;      // the state there
    int32_t rest_count, pressed;  // joints at rest on an end, and how many it pushes
    int32_t* rest;                // their ends, by place in stop_from
    int32_t* rest_joint;
    double* rest_force;  // with which the ends push them
    double* rest_x;      // scratch per variable
    int32_t* held;       // variables with either
    double* held_along;  // two each: what it and the variable after it do to what is held
    int32_t* held_kind;
    double* held_R;  // L⁻ᵀ of their rows; held_Y: less what the loops take
    double *held_Y, *held_G, *held_p, *held_low, *held_high, *held_aim, *held_mass;
    int32_t held_count, held_capacity;
    double* held_impulse;  // per v: of stops and dry friction over the last step
    RunReport report;
};

inline void lay_out_engine(const Model& m, int32_t held_capacity, Arena<double>& reals,
                           Arena<int32_t>& ints, ReducedEngine& e) {
    e.spring_joints = ints.take(m.joint_count);
    e.held = ints.take(held_capacity);
    e.held_kind = ints.take(held_capacity);
    e.held_capacity = held_capacity;
    e.rest = ints.take(held_capacity);
    e.rest_joint = ints.take(held_capacity);
    double** const per_v[] = {&e.damper, &e.tau, &e.v,  &e.v_try, &e.v_half, &e.xi,        &e.p0,
                              &e.p,      &e.a1,  &e.a2, &e.a3,    &e.a4,     &e.stiffening};
    for (double** part : per_v) *part = reals.take(m.nv);
    double** const per_q[] = {&e.q, &e.q_try, &e.q_half, &e.cut_q};
    for (double** part : per_q) *part = reals.take(m.nq);
    e.saved_q = reals.take((REFINEMENTS + 1LL) * m.nq);
    e.saved_v = reals.take((REFINEMENTS + 1LL) * m.nv);
    e.stop_from = reals.take(2LL * m.nv);
    e.stop_q = reals.take(m.nq);
    e.stop_v = reals.take(m.nv);
    e.rest_x = reals.take(m.nv);
    e.held_impulse = reals.take(m.nv);
    e.wrenches = reals.take(6LL * m.link_count);
    e.bodies = take_forward(reals, m);
    const int64_t rows = 6LL * e.system.ties.loop_count + e.system.ties.spring_count,
                  n = e.system.tree.n;
    e.direction_known = ints.take(rows);
    e.strong_q = reals.take(m.nq);
    e.strong_v = reals.take(m.nv);
    e.older_q = reals.take(m.nq);
    e.older_v = reals.take(m.nv);
    e.noted_q = reals.take(m.nq);
    e.row_direction = reals.take(rows * n);
    e.row_direction_rate = reals.take(rows * n);
    e.extrapolation_Y = reals.take(rows * n + n);
    e.extrapolation_G = reals.take(n * n);
    e.row_acceleration = reals.take(rows);
    e.row_jerk = reals.take(rows);
    e.extrapolation_rows = reals.take(rows);
    e.extrapolation_x = reals.take(n);
    e.body_tau = reals.take(m.nv);
    e.axes = reals.take(36);
    e.held_Y = reals.take((int64_t)held_capacity * e.system.tree.n);
    e.held_R = reals.take((int64_t)held_capacity * e.system.tree.n);
    e.held_along = reals.take(2LL * held_capacity);
    e.held_G = reals.take((int64_t)held_capacity * held_capacity);
    double** const per_held[] = {&e.held_p,   &e.held_low,  &e.held_high,
                                 &e.held_aim, &e.held_mass, &e.rest_force};
    for (double** part : per_held) *part = reals.take(held_capacity);
}

// Whether a joint has a spring or a damper.
inline bool is_sprung(const Model& m, int32_t joint) {
    for (int32_t v = m.joint_v[joint]; v < m.joint_v[joint] + JOINT_NV[m.joint_type[joint]]; ++v)
        if (m.stiffness[v] != 0 || m.viscous[v] + m.spring_damping[v] != 0) return true;
    return false;
}

// Reads dampers and springs; after any number of the model changed.
inline void refresh_engine(ReducedEngine& e) {
    const Model& m = *e.system.tree.model;
    e.spring_joint_count = 0;
    e.cut_efforts = false;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        bool sprung = false, damped = false;
        for (int32_t v = m.joint_v[j]; v < m.joint_v[j] + JOINT_NV[m.joint_type[j]]; ++v) {
            e.damper[v] = m.viscous[v] + m.spring_damping[v];
            sprung = sprung || m.stiffness[v] != 0;
            damped = damped || e.damper[v] != 0 || e.tau[v] != 0;
        }
        const bool cut = e.system.tree.first[j] < 0;
        if (cut && (sprung || damped)) e.cut_efforts = true;
        if (!cut && sprung) e.spring_joints[e.spring_joint_count++] = j;
    }
    e.graph_fits = e.graph_stiffens = e.has_graph;
    for (int32_t j = 0; e.graph_fits && j < m.joint_count; ++j) {
        if (!e.graph.spanning.is_cut[j] || e.system.tree.first[j] < 0) continue;
        if (is_sprung(m, j)) e.graph_stiffens = false;
        for (int32_t v = m.joint_v[j]; v < m.joint_v[j] + JOINT_NV[m.joint_type[j]]; ++v)
            if (m.rotor[v] != 0) e.graph_fits = e.graph_stiffens = false;
    }
}

// Whether the graph has an answer: springs that are rows are not its.
inline bool by_graph(const ReducedEngine& e, const double* stiffening) {
    if (e.system.ties.count > e.system.ties.loop_count) return false;
    return stiffening == nullptr ? e.method == BY_GRAPH && e.graph_fits : e.graph_stiffens;
}

// Takes a force (six-vector about the tree's centre) from what a link must hand on.
inline void push_link(ReducedTree& t, int32_t link, const double* force, double scale) {
    for (int k = 0; k < 6; ++k) t.F[6LL * link + k] -= scale * force[k];
}

// Velocities of a cut joint, after move_tree; axes: as cut_axes gave them.
inline void cut_speeds(const ReducedTree& t, const Couplings& c, int32_t i, const double* axes,
                       double* speed) {
    const Model& m = *t.model;
    const int32_t cut = m.loop_joint[c.loop[i]];
    double relative[6];
    for (int k = 0; k < 6; ++k)
        relative[k] = t.V[6LL * m.joint_child[cut] + k] - t.V[6LL * m.joint_parent[cut] + k];
    for (int32_t k = 0; k < JOINT_NV[m.joint_type[cut]]; ++k)
        speed[k] = dot6(axes + 6 * k, relative);
}

// Efforts of a cut joint's loads, dampers and springs (unless they are rows); q of the joint is
// read, its axes are in e.axes. Returns their power without springs.
inline double cut_efforts(ReducedEngine& e, int32_t i, bool explicit_springs, double* effort) {
    const Couplings& c = e.system.ties;
    const Model& m = *e.system.tree.model;
    const int32_t cut = m.loop_joint[c.loop[i]], first = m.joint_v[cut];
    double power = 0, speed[6];
    cut_speeds(e.system.tree, c, i, e.axes, speed);
    for (int32_t k = 0; k < JOINT_NV[m.joint_type[cut]]; ++k) {
        const int32_t v = first + k;
        effort[k] = e.tau[v] - (explicit_springs ? e.damper[v] * speed[k] : 0);
        power += effort[k] * speed[k];
        if (explicit_springs && m.stiffness[v] != 0)
            effort[k] -= m.stiffness[v] *
                         KINEGEN_ISA::spring_stretch<double>(m, cut, k, e.cut_q + m.joint_q[cut]);
    }
    return power;
}

// Efforts at cut joints, as forces on the two links; returns their power without springs.
inline double push_cut_joints(ReducedEngine& e, bool explicit_springs) {
    ReducedTree& t = e.system.tree;
    const Couplings& c = e.system.ties;
    const Model& m = *t.model;
    double power = 0, effort[6];
    for (int32_t i = 0; i < c.loop_count; ++i) {
        const int32_t cut = m.loop_joint[c.loop[i]];
        read_cut(t, c, i, e.cut_q);
        cut_axes(t, c, i, e.axes);
        power += cut_efforts(e, i, explicit_springs, effort);
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[cut]]; ++k) {
            push_link(t, m.joint_child[cut], e.axes + 6 * k, effort[k]);
            push_link(t, m.joint_parent[cut], e.axes + 6 * k, -effort[k]);
        }
    }
    return power;
}

// Outer wrenches; returns their power.
inline double push_wrenches(ReducedEngine& e) {
    ReducedTree& t = e.system.tree;
    double power = 0;
    for (int32_t link = 1; e.has_wrenches && link < t.model->link_count; ++link) {
        const double *w = e.wrenches + 6LL * link, *p = t.X + TRANSFORM_SIZE * (int64_t)link + 9;
        double force[6];
        force_at(t, p, w, force);
        for (int k = 0; k < 3; ++k) force[3 + k] += w[3 + k];
        push_link(t, link, force, 1);
        power += dot6(force, t.V + 6LL * link);
    }
    return power;
}

// Springs between points, as forces on their links; returns the power of their dampers.
inline double push_springs(ReducedEngine& e) {
    ReducedTree& t = e.system.tree;
    const PointSprings& springs = e.system.springs;
    double power = 0;
    for (int32_t s = 0; s < springs.count; ++s) {
        double point[3], along[3], force[6];
        const double length = spring_line(t, springs, s, point, along);
        force_at(t, point, along, force);
        const int32_t a = springs.link_a[s], b = springs.link_b[s];
        const double apart = dot6(force, t.V + 6LL * b) - dot6(force, t.V + 6LL * a);
        const double drag = springs.damping[s] * apart;
        const double pull = springs.stiffness[s] * (length - springs.rest[s]) + drag;
        push_link(t, a, force, pull);
        push_link(t, b, force, -pull);
        power -= drag * apart;
    }
    return power;
}

// Turns what links ask of the degrees of freedom, in system.x, into efforts: loads, dampers and
// springs of the tree's joints less that. Returns the power of loads and dampers.
inline double find_joint_efforts(ReducedEngine& e, const double* q, const double* v) {
    const ReducedTree& t = e.system.tree;
    const Model& m = *t.model;
    double* x = e.system.x;
    double power = 0;
    for (int32_t k = 0; k < t.n; ++k) {
        const int32_t i = t.index[k];
        const double effort = e.tau[i] - e.damper[i] * v[i];
        power += effort * v[i];
        x[k] = effort - x[k];
    }
    for (int32_t n = 0; n < e.spring_joint_count; ++n) {
        const int32_t j = e.spring_joints[n];
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k)
            if (m.stiffness[m.joint_v[j] + k] != 0)
                x[t.first[j] + k] -= m.stiffness[m.joint_v[j] + k] *
                                     KINEGEN_ISA::spring_stretch<double>(m, j, k, q + m.joint_q[j]);
    }
    return power;
}

// Efforts per variable into system.x, after move_tree; returns the power of loads and dampers.
// explicit_springs: whether springs between points and those of cut joints act here (else they are
// rows).
inline double find_efforts(ReducedEngine& e, const double* q, const double* v,
                           bool explicit_springs) {
    ReducedTree& t = e.system.tree;
    start_forces(t);
    double power = push_wrenches(e);
    if (explicit_springs && e.system.springs.count > 0) power += push_springs(e);
    if (e.cut_efforts) power += push_cut_joints(e, explicit_springs);
    gather_forces(t, e.system.x);
    return power + find_joint_efforts(e, q, v);
}

inline void rest_on_stops(ReducedEngine& e, const double* q, const double* v, double h);
inline void assemble_watched(ReducedEngine& e, const double* q);
inline void extrapolate_weak_rows(ReducedEngine& e);

// Notes a degree of freedom without mass.
inline void note_massless(ReducedEngine& e, int32_t variable) {
    e.report.status = RUN_MASSLESS;
    e.report.culprit = variable;
}

// All that depends on q alone, matrices among it.
inline void assemble_dense(ReducedEngine& e, const double* q, const double* stiffening) {
    const int32_t status = assemble(e.system, q, stiffening);
    e.is_placed = e.is_dense = true;
    if (status > 0) note_massless(e, status - 1);
}

// What steps need of q; stiffening: null, or what to add to the mass matrix's diagonal.
inline void assemble_at(ReducedEngine& e, const double* q, const double* stiffening) {
    ReducedSystem& s = e.system;
    e.is_dense = false;
    if (e.method == BY_BODIES && stiffening == nullptr) {
        const int32_t status = articulate(*s.tree.model, q, e.bodies);
        e.is_placed = false;
        if (status > 0) note_massless(e, s.tree.first[status - 1]);
        return;
    }
    if (by_graph(e, stiffening)) {
        place_tree(s.tree, q);
        place_couplings(s.tree, s.springs, s.ties);
        e.is_placed = true;
        if (factor_graph(s, e.graph, stiffening) && s.weak_count == 0) return;
        // weak rows need matrices, and another tree may see a link without mass where the file's
        // does not
    }
    if (stiffening == nullptr)
        assemble_watched(e, q);
    else
        assemble_dense(e, q, stiffening);
}

// Links, and matrices, where the system was assembled, for what is not asked for in every step.
inline void need_places(ReducedEngine& e, const double* q) {
    if (!e.is_placed) place_tree(e.system.tree, q);
    e.is_placed = true;
}
inline void need_dense(ReducedEngine& e, const double* q, const double* stiffening) {
    if (!e.is_dense) assemble_dense(e, q, stiffening);
}

// As solve_system, by what is there.
inline void solve_at(ReducedEngine& e) {
    if (e.is_dense)
        solve_system(e.system);
    else
        solve_graph(e.system, e.graph);
}

// Accelerations of a tree by articulated bodies; returns the power.
inline double accelerate_bodies(ReducedEngine& e, const double* q, const double* v, double* vdot) {
    ReducedTree& t = e.system.tree;
    const Model& m = *t.model;
    double* x = e.system.x;
    double power = 0;
    for (int32_t k = 0; k < t.n; ++k) x[k] = 0;
    if (e.has_wrenches || e.system.springs.count > 0) {
        need_places(e, q);
        move_tree(t, v);
        for (int64_t i = 0; i < 6LL * m.link_count; ++i) t.F[i] = 0;
        power = push_wrenches(e) + push_springs(e);
        gather_forces(t, x);
    }
    power += find_joint_efforts(e, q, v);
    for (int32_t k = 0; k < t.n; ++k) e.body_tau[t.index[k]] = x[k];
    find_accelerations<double>(m, v, e.body_tau, nullptr, e.bodies, vdot);
    return power;
}

// Accelerations (tree part of nv) at the configuration that was assembled; returns the power.
inline double accelerate(ReducedEngine& e, const double* q, const double* v, double* vdot) {
    ReducedSystem& s = e.system;
    ++e.report.evaluations;
    if (e.rest_count > 0) need_dense(e, q, nullptr);
    if (e.method == BY_BODIES && !e.is_dense) return accelerate_bodies(e, q, v, vdot);
    move_tree(s.tree, v);
    const double power = find_efforts(e, q, v, true);
    row_targets(s.tree, s.ties, s.lambda);
    solve_at(e);
    if (s.weak_count > 0 && e.has_strong) extrapolate_weak_rows(e);
    if (e.rest_count > 0) rest_on_stops(e, q, v, 0);
    for (int32_t k = 0; k < s.tree.n; ++k) vdot[s.tree.index[k]] = s.x[k];
    return power;
}

// As correct_rows, by what is there.
inline void correct_loops(ReducedEngine& e) {
    ReducedSystem& s = e.system;
    if (e.is_dense) return correct_rows(s);
    clear_all(s.x, s.tree.n);
    for (int32_t row = 0; row < s.ties.row_count; ++row) s.lambda[row] = -s.lambda[row];
    solve_graph(s, e.graph);
}

// Closes the loops at q (in place) and leaves the system assembled there; changes are the smallest
// measured by the masses. Returns whether the loops are closed.
inline bool close_loops(ReducedEngine& e, double* q, const double* stiffening) {
    ReducedSystem& s = e.system;
    assemble_at(e, q, stiffening);
    e.opening = 0;
    if (s.ties.loop_count == 0) return true;
    Gaps gaps = loop_gaps(s.tree, s.ties, q, s.gap);
    const bool is_rough = e.integrator == SEMI_IMPLICIT && e.refine < WIDEST_OPENING;
    const double small = larger(SMALL_GAP, is_rough ? SMALL_SHARE * e.refine : 0);
    double before = INFINITY;
    e.opening = larger(gaps.linear, gaps.angular);
    for (int32_t n = 0; n < CLOSING_LIMIT; ++n) {
        const double gap = larger(gaps.linear, gaps.angular);
        const double closed = s.nearest < NEARLY_WEAK ? 0 : CLOSED_GAP;
        if (!(gap > closed) || gap > 0.5 * before) break;
        before = gap < SMALL_GAP ? 0 : gap;  // rounding is left after one more
        copy_all(s.lambda, s.gap, s.ties.row_count);
        correct_loops(e);
        for (int32_t k = 0; k < s.tree.n; ++k) e.xi[s.tree.index[k]] = s.x[k];
        move_tree_joints(*s.tree.model, q, e.xi, 1, q);
        ++e.report.closings;
        if (gap < small) {
            place_tree(s.tree, q);
            place_couplings(s.tree, s.springs, s.ties);
        } else {
            assemble_at(e, q, stiffening);
        }
        gaps = loop_gaps(s.tree, s.ties, q, s.gap);
    }
    e.left = gaps;
    return gaps.linear < tolerance::OPEN && gaps.angular < tolerance::OPEN;
}

// Takes from v (in place) what opens the loops; after close_loops.
inline void close_speeds(ReducedEngine& e, double* v) {
    ReducedSystem& s = e.system;
    if (s.ties.loop_count == 0) return;
    move_tree(s.tree, v);
    row_speeds(s.tree, s.springs, s.ties, s.lambda);
    // springs may move
    for (int32_t row = s.ties.row_first[s.ties.loop_count]; row < s.ties.row_count; ++row)
        s.lambda[row] = 0;
    correct_loops(e);
    for (int32_t k = 0; k < s.tree.n; ++k) v[s.tree.index[k]] += s.x[k];
}

inline bool all_finite(const double* a, int32_t count) {
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) sum += a[i] * 0;
    return sum == 0;
}

// Variables of all cut joints into q, where the links stand.
inline void read_cuts(ReducedEngine& e, double* q) {
    for (int32_t i = 0; i < e.system.ties.loop_count; ++i)
        read_cut(e.system.tree, e.system.ties, i, q);
}

// Their speeds into v, after move_tree.
inline void read_cut_speeds(ReducedEngine& e, double* v) {
    const Couplings& c = e.system.ties;
    const Model& m = *e.system.tree.model;
    for (int32_t i = 0; i < c.loop_count; ++i) {
        cut_axes(e.system.tree, c, i, e.axes);
        cut_speeds(e.system.tree, c, i, e.axes, v + m.joint_v[m.loop_joint[c.loop[i]]]);
    }
}

// Kinetic energy, after move_tree.
inline double kinetic_energy(const ReducedEngine& e, const double* v) {
    const ReducedTree& t = e.system.tree;
    const Model& m = *t.model;
    double energy = 0, momentum[6];
    for (int32_t link = 1; link < m.link_count; ++link) {
        multiply_rigid(t.body + BODY_SIZE * (int64_t)link, t.V + 6LL * link, momentum);
        energy += 0.5 * dot6(momentum, t.V + 6LL * link);
    }
    for (int32_t k = 0; k < t.n; ++k) {
        const int32_t i = t.index[k];
        energy += 0.5 * m.rotor[i] * m.gear[i] * m.gear[i] * v[i] * v[i];
    }
    return energy;
}

// Of gravity, joints' springs and springs between points, after place_tree; q with its cut joints.
inline double potential_energy(const ReducedEngine& e, const double* q) {
    const ReducedTree& t = e.system.tree;
    const Model& m = *t.model;
    double energy = 0;
    for (int32_t link = 1; link < m.link_count; ++link) {
        const double* body = t.body + BODY_SIZE * (int64_t)link;
        for (int k = 0; k < 3; ++k) energy -= m.gravity[k] * (body[1 + k] + body[0] * t.centre[k]);
    }
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k) {
            const double stiffness = m.stiffness[m.joint_v[j] + k];
            if (stiffness == 0) continue;
            const double x = KINEGEN_ISA::spring_stretch<double>(m, j, k, q + m.joint_q[j]);
            energy += 0.5 * stiffness * x * x;
        }
    for (int32_t s = 0; s < e.system.springs.count; ++s) {
        double point[3], along[3];
        const double x =
            spring_line(t, e.system.springs, s, point, along) - e.system.springs.rest[s];
        energy += 0.5 * e.system.springs.stiffness[s] * x * x;
    }
    return energy;
}

}  // namespace kinegen
