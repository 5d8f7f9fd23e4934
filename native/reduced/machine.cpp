// The reduced engine with its memory.
#include "reduced/machine.hpp"

#include "kernel/reduced/run.hpp"

namespace kinegen {

namespace {

// About how many multiplications a joint costs by articulated bodies.
constexpr double BODY_COST = 95;

}  // namespace

int64_t run_engine(ReducedEngine& e, int64_t steps, double& trial, RunStopper stop,
                   StepContacts contacts) {
    return run_reduced(e, steps, trial, stop, contacts);
}

void ReducedMachine::build() {
    ReducedSystem& s = engine_.system;
    auto lay_out = [](std::vector<double>& reals, std::vector<int32_t>& ints, auto&& work) {
        Arena<double> real_count{nullptr, 0};
        Arena<int32_t> int_count{nullptr, 0};
        work(real_count, int_count);
        reals.assign((size_t)real_count.used + 1, 0);
        ints.assign((size_t)int_count.used + 1, 0);
        Arena<double> real_arena{reals.data(), 0};
        Arena<int32_t> int_arena{ints.data(), 0};
        work(real_arena, int_arena);
    };
    lay_out(tree_reals_, tree_ints_, [&](auto& r, auto& i) { lay_out_tree(model_, r, i, s.tree); });
    number_tree(s.tree);
    point();
    sprung_ = sprung_cuts();
    std::vector<int32_t> order;
    order.reserve((size_t)model_.loop_count + (size_t)s.springs.count + sprung_.size());
    for (int32_t i = 0; i < model_.loop_count; ++i) order.push_back(i);
    for (int32_t i = 0; i < s.springs.count; ++i) order.push_back(i);
    order.insert(order.end(), sprung_.begin(), sprung_.end());
    s.ties.loop = order.data();
    s.ties.loop_count = model_.loop_count;
    s.ties.spring_count = s.springs.count;
    s.ties.cut_count = (int32_t)sprung_.size();
    s.ties.count = (int32_t)order.size();
    const SystemSizes sizes = count_system(s.tree, s.springs, s.ties);
    held_ = count_held(model_);
    lay_out(reals_memory_, ints_memory_, [&](auto& r, auto& i) {
        lay_out_reduced(model_, sizes, r, i, s);
        lay_out_engine(model_, held_, r, i, engine_);
    });
    for (size_t i = 0; i < order.size(); ++i) s.ties.loop[i] = order[i];
    for (int32_t j = 0; j < model_.joint_count; ++j) {
        const int32_t type = model_.joint_type[j];
        double* q = engine_.q + model_.joint_q[j];
        if (type == SPHERICAL || type == FREE) q[0] = 1;
    }
    seen_.assign(TRANSFORM_SIZE * (size_t)model_.placement_count + 1, NAN);
    sift();
}

std::vector<int32_t> ReducedMachine::sprung_cuts() const {
    std::vector<int32_t> out;
    for (int32_t i = 0; i < model_.loop_count; ++i)
        if (is_sprung(model_, model_.loop_joint[i])) out.push_back(i);
    return out;
}

void ReducedMachine::make_room() {
    if (count_held(model_) <= held_ && sprung_cuts() == sprung_) return;
    const std::vector<double> q(engine_.q, engine_.q + model_.nq);
    const std::vector<double> v(engine_.v, engine_.v + model_.nv);
    build();
    copy_all(engine_.q, q.data(), model_.nq);
    copy_all(engine_.v, v.data(), model_.nv);
}

void ReducedMachine::sift() {
    ReducedSystem& s = engine_.system;
    const int64_t count = TRANSFORM_SIZE * (int64_t)model_.placement_count;
    if (memcmp(seen_.data(), model_.transforms, sizeof(double) * (size_t)count) == 0) return;
    copy_all(seen_.data(), model_.transforms, count);
    s.ties.count = s.ties.loop_count + s.ties.spring_count + s.ties.cut_count;
    number_system(s);
    copy_all(engine_.q_try, engine_.q, model_.nq);
    sift_rows(s, engine_.q_try);
    use_springs_as_rows(s, false);
    choose_method();
}

void ReducedMachine::forget_peaks() {
    ReducedSystem& s = engine_.system;
    engine_.has_strong = engine_.has_older = false;
    engine_.noted_step = engine_.since_strong = 0;
    engine_.stage_offset = engine_.strong_age = 0;
    s.watches = true;
    s.weak_count = 0;
    s.nearest = 1;
    for (int32_t row = 0; row < s.ties.row_count; ++row) s.peak[row] = 0;
    if (engine_.has_graph)
        for (int32_t row = 0; row < engine_.graph.row_count; ++row) engine_.graph.peak[row] = 0;
    // matrices see every place of the graph only where it fails: they need one to begin with
    if (engine_.method == BY_GRAPH) assemble_dense(engine_, engine_.q, nullptr);
}

void ReducedMachine::choose_method() {
    const bool free = wanted_ < 0, has_loops = model_.loop_count > 0;
    const double dense = dense_cost(engine_.system);
    engine_.has_graph =
        wanted_ != BY_MATRICES && graph_.plan(engine_, wanted_, free ? dense : INFINITY);
    engine_.method = BY_MATRICES;
    // contacts need the matrices once a step anyway
    const double bodies = BODY_COST * engine_.system.tree.n * (meets_ ? 4 : 1);
    const bool is_deep = bodies < dense;
    if (!has_loops && (wanted_ == BY_BODIES || (free && is_deep))) engine_.method = BY_BODIES;
    if (engine_.has_graph && (wanted_ >= BY_GRAPH || (free && has_loops)))
        engine_.method = BY_GRAPH;
    refresh_engine(engine_);
}

void ReducedMachine::point() {
    PointSprings& p = engine_.system.springs;
    const size_t count = link_a_.size();
    p.count = (int32_t)count;
    p.link_a = link_a_.data();
    p.link_b = link_b_.data();
    p.point_a = points_a_.data();
    p.point_b = points_b_.data();
    p.stiffness = numbers_.data();
    p.damping = numbers_.data() + count;
    p.rest = numbers_.data() + 2 * count;
}

bool ReducedMachine::begin(const double* q, const double* v, double time) {
    make_room();
    copy_all(engine_.q, q, model_.nq);
    copy_all(engine_.v, v, model_.nv);
    engine_.report = RunReport{};
    engine_.time = time;
    engine_.work = 0;
    for (int32_t i = 0; i < model_.nv; ++i) engine_.held_impulse[i] = 0;
    trial_ = 0;
    refresh_engine(engine_);
    use_springs_as_rows(engine_.system, false);
    sift();
    forget_peaks();
    const bool closed = close_loops(engine_, engine_.q, nullptr);
    close_speeds(engine_, engine_.v);
    need_places(engine_, engine_.q);
    move_tree(engine_.system.tree, engine_.v);
    read_cuts(engine_, engine_.q);
    read_cut_speeds(engine_, engine_.v);
    return closed;
}

int64_t ReducedMachine::run_steps(int64_t steps, RunStopper stop) {
    return run_engine(engine_, steps, trial_, stop, {nullptr, nullptr, nullptr});
}

double ReducedMachine::stiffness_here() {
    refresh_engine(engine_);
    return stiffness_of_step(engine_, engine_.step, engine_.q);
}

void ReducedMachine::go_back(const double* q, const double* v, const double* held_impulse,
                             double time, double work, double trial) {
    make_room();
    sift();
    copy_all(engine_.q, q, model_.nq);
    copy_all(engine_.v, v, model_.nv);
    copy_all(engine_.held_impulse, held_impulse, model_.nv);
    engine_.time = time;
    engine_.work = work;
    trial_ = trial;
}

}  // namespace kinegen
