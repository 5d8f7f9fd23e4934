// Mobility, velocities and accelerations for Python: sizes checked here, memory owned here.
#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "kernel/loops/mobility.hpp"
#include "kernel/loops/velocity.hpp"
#include "python/base/model.hpp"

namespace nb = nanobind;
using namespace kinegen;
using kinegen::python::Borrowed;
using kinegen::python::model_in;
using kinegen::python::new_array;
using kinegen::python::raise_usage;

namespace {

// Scratch for what a function lays out in two passes: sizes, then pointers.
class Memory {
public:
    template <class LayOut>
    explicit Memory(LayOut lay_out) {
        Arena<double> count_reals{nullptr, 0};
        Arena<int32_t> count_ints{nullptr, 0};
        lay_out(count_reals, count_ints);
        reals_.assign((size_t)count_reals.used + 1, 0);
        ints_.assign((size_t)count_ints.used + 1, 0);
        Arena<double> take_reals{reals_.data(), 0};
        Arena<int32_t> take_ints{ints_.data(), 0};
        lay_out(take_reals, take_ints);
    }

private:
    std::vector<double> reals_;
    std::vector<int32_t> ints_;
};

// A model's two blocks, held open.
class Blocks {
public:
    Blocks(nb::handle ints, nb::handle reals) : ints_(ints, "ints"), reals_(reals, "reals", true) {
        model = model_in(ints_, reals_);
        if (!velocities_fit(model))
            raise_usage("the joints have more variables than the model's nv");
    }
    Model model;

private:
    Borrowed ints_, reals_;
};

// An int per velocity, or null for None.
class Mask {
public:
    Mask(nb::handle object, int64_t count, const char* name) {
        if (object.is_none()) return;
        kept_ = std::make_unique<Borrowed>(object, name);
        data = kept_->numbers<int32_t>(count);
    }
    const int32_t* data = nullptr;

private:
    std::unique_ptr<Borrowed> kept_;
};

void check_finite(int32_t status) {
    if (status == NOT_FINITE) raise_usage("a configuration must be finite");
}

// The groups of a model's loops with their memory.
struct Grouped {
    explicit Grouped(const Model& m, LoopGroups& g)
        : numbers((size_t)m.loop_count + 2 * (size_t)m.joint_count + 1, 0) {
        g.loop_group = numbers.data();
        g.joint_group = g.loop_group + m.loop_count;
        find_loop_groups(m, g.joint_group + m.joint_count, g);
    }
    std::vector<int32_t> numbers;
};

class BoundLoops {
public:
    BoundLoops(nb::handle ints, nb::handle reals, nb::handle loops, nb::handle variables,
               double size)
        : blocks_(ints, reals),
          given_loops_(loops, "loops"),
          given_variables_(variables, "variables"),
          memory_([this](Arena<double>& reals_, Arena<int32_t>& ints_) {
              lay_out_trials(blocks_.model, (int32_t)given_loops_.size(),
                             (int32_t)given_variables_.size(), reals_, ints_, trials_);
          }) {
        LoopSystem& s = trials_.system;
        const Model& m = blocks_.model;
        s.loop_count = (int32_t)given_loops_.size();
        s.n = (int32_t)given_variables_.size();
        const int32_t* loop = given_loops_.data<int32_t>();
        const int32_t* variable = given_variables_.data<int32_t>();
        if (!indices_within(loop, s.loop_count, 0, m.loop_count) ||
            !indices_within(variable, s.n, 0, m.nv) || !(size > 0))
            raise_usage("loops must be 0 to " + std::to_string(m.loop_count - 1) +
                        ", variables 0 to " + std::to_string(m.nv - 1) +
                        ", and size greater than 0");
        for (int32_t i = 0; i < s.loop_count; ++i) s.loops[i] = loop[i];
        for (int32_t i = 0; i < s.n; ++i) s.variables[i] = variable[i];
        s.size = size;
        variable_scales(m, size, s.scale);
    }

    void hold(int32_t link, nb::handle R) {
        LoopSystem& s = trials_.system;
        const Borrowed R_(R, "R");
        if (link < -1 || link >= blocks_.model.link_count)
            raise_usage("no such link: " +
                        kinegen::python::not_among(link, blocks_.model.link_count));
        s.held_link = link;
        copy_all(s.R_held, R_.numbers<double>(9), 9);
    }
    void residual(nb::handle q, nb::handle phi) {
        const Borrowed q_(q, "q"), phi_(phi, "phi", true);
        system_residual(trials_.system, q_.numbers<double>(blocks_.model.nq),
                        phi_.numbers<double>(trials_.system.rows()));
    }
    void jacobian(nb::handle q, nb::handle J) {
        const Borrowed q_(q, "q"), J_(J, "J", true);
        LoopSystem& s = trials_.system;
        system_jacobian(s, q_.numbers<double>(blocks_.model.nq),
                        J_.numbers<double>((int64_t)s.rows() * s.n));
    }
    double close(nb::handle q, nb::handle within, int32_t iterations) {
        const Borrowed q_(q, "q", true);
        LoopSystem& s = trials_.system;
        double* at = q_.numbers<double>(blocks_.model.nq);
        if (within.is_none()) return system_close(s, at, nullptr, 0, iterations);
        const Borrowed within_(within, "within");
        const double* columns = within_.data<double>({s.n, -1});
        if (within_.shape(1) > s.n) raise_usage("within must not have more columns than rows");
        return system_close(s, at, columns, (int32_t)within_.shape(1), iterations);
    }
    double assemble(nb::handle q) {
        const Borrowed q_(q, "q", true);
        return system_assemble(trials_.system, q_.numbers<double>(blocks_.model.nq));
    }
    int32_t finite_mobility(nb::handle q, nb::handle basis, double tolerance) {
        const Borrowed q_(q, "q"), basis_(basis, "basis");
        const double* rows = basis_.data<double>({-1, trials_.system.n});
        if (basis_.shape(0) > trials_.system.n)
            raise_usage("basis must not have more rows than columns");
        const int32_t count = (int32_t)basis_.shape(0);
        copy_all(trials_.basis, rows, (int64_t)count * trials_.system.n);
        return kinegen::finite_mobility(trials_, q_.numbers<double>(blocks_.model.nq), count,
                                        tolerance);
    }

private:
    Blocks blocks_;
    Borrowed given_loops_, given_variables_;
    Trials trials_;
    Memory memory_;
};

class BoundMotion {
public:
    BoundMotion(nb::handle ints, nb::handle reals) : blocks_(ints, reals) {}

    nb::tuple mobility(nb::handle q, nb::handle locked, nb::handle motors, double tolerance,
                       nb::handle values, nb::handle directions, nb::handle groups,
                       nb::handle reports) {
        const Model& m = blocks_.model;
        const Borrowed q_(q, "q", true), values_(values, "values", true);
        const Borrowed directions_(directions, "directions", true);
        const Borrowed groups_(groups, "groups", true), reports_(reports, "reports", true);
        const Mask locked_(locked, m.nv, "locked"), motors_(motors, m.nv, "motors");
        MobilityMemory s;
        const Grouped grouped(m, s.groups);
        const Memory memory([&](Arena<double>& reals, Arena<int32_t>& ints) {
            lay_out_mobility(m, reals, ints, s);
        });
        MobilityReport r;
        check_finite(find_mobility(m, s, q_.numbers<double>(m.nq), locked_.data, motors_.data,
                                   tolerance, values_.numbers<double>(6LL * m.loop_count),
                                   directions_.numbers<double>((int64_t)m.nv * m.nv), r));
        int32_t* group = groups_.numbers<int32_t>(m.loop_count);
        for (int32_t i = 0; i < m.loop_count; ++i) group[i] = s.groups.loop_group[i];
        copy_all(reports_.numbers<double>((int64_t)GROUP_REPORT_SIZE * m.loop_count),
                 s.group_reports, (int64_t)GROUP_REPORT_SIZE * r.group_count);
        return nb::make_tuple(r.instantaneous, r.finite, r.gruebler, r.redundant, r.idle, r.closed,
                              r.group_count, r.value_count, r.rank_gap, r.gap[0], r.gap[1]);
    }

    nb::tuple motion(nb::handle q, nb::handle v, nb::handle driven, nb::handle values,
                     nb::handle frames, nb::handle frame_values, double size, nb::handle out,
                     nb::handle missed, nb::handle free_motion) {
        const Model& m = blocks_.model;
        const Borrowed q_(q, "q"), driven_(driven, "driven"), values_(values, "values");
        const Borrowed frames_(frames, "frames"), frame_values_(frame_values, "frame_values");
        const Borrowed out_(out, "out", true), missed_(missed, "missed", true);
        const Borrowed free_(free_motion, "free_motion", true);
        std::unique_ptr<Borrowed> v_;
        MotionInputs in;
        in.v = nullptr;
        if (!v.is_none()) {
            v_ = std::make_unique<Borrowed>(v, "v");
            in.v = v_->numbers<double>(m.nv);
        }
        in.driven = driven_.numbers<int32_t>(m.nv);
        in.values = values_.numbers<double>(m.nv);
        in.frame_count = (int32_t)(frames_.size() / 2);
        in.frames = frames_.numbers<int32_t>(2LL * in.frame_count);
        in.frame_values = frame_values_.numbers<double>(6LL * in.frame_count);
        for (int32_t f = 0; f < in.frame_count; ++f) {
            const int32_t rows = in.frames[2 * f + 1];
            if (in.frames[2 * f] < 0 || in.frames[2 * f] >= m.site_count() ||
                (rows != 3 && rows != 6))
                raise_usage("a frame must be a link or frame of the model, 0 to " +
                            std::to_string(m.site_count() - 1) + ", with 3 or 6 rows");
        }
        MotionMemory s;
        const Grouped grouped(m, s.groups);
        const int32_t rows = input_rows(m, in);
        const Memory memory([&](Arena<double>& reals, Arena<int32_t>& ints) {
            lay_out_motion(m, rows, reals, ints, s);
        });
        MotionReport r{};
        check_finite(find_motion(m, s, q_.numbers<double>(m.nq), in, size,
                                 out_.numbers<double>(m.nv), missed_.numbers<double>(rows),
                                 free_.numbers<double>((int64_t)m.nv * m.nv), r));
        return nb::make_tuple(r.residual, r.smallest, r.free_count);
    }

    void loop_bias(nb::handle q, nb::handle v, nb::handle bias) {
        const Model& m = blocks_.model;
        const Borrowed bias_(bias, "bias", true), q_(q, "q"), v_(v, "v");
        const Moving moving(m, q_, v_, nullptr);
        kinegen::loop_bias(m, q_.data<double>(), v_.data<double>(), moving.links.data(),
                           moving.twists.data(), moving.accelerations.data(),
                           bias_.numbers<double>(6LL * m.loop_count));
    }
    void site_motions(nb::handle q, nb::handle v, nb::handle vdot, nb::handle twists,
                      nb::handle accelerations) {
        const Model& m = blocks_.model;
        const Borrowed q_(q, "q"), v_(v, "v"), vdot_(vdot, "vdot");
        const Borrowed twists_(twists, "twists", true);
        const Borrowed accelerations_(accelerations, "accelerations", true);
        const Moving moving(m, q_, v_, vdot_.numbers<double>(m.nv));
        double* twist = twists_.numbers<double>(6LL * m.site_count());
        double* acceleration = accelerations_.numbers<double>(6LL * m.site_count());
        for (int32_t site = 0; site < m.site_count(); ++site)
            site_motion(m, moving.links.data(), moving.twists.data(), moving.accelerations.data(),
                        site, twist + 6 * site, acceleration + 6 * site);
    }

private:
    // All links at q while they move.
    struct Moving {
        Moving(const Model& m, const Borrowed& q, const Borrowed& v, const double* vdot)
            : links(TRANSFORM_SIZE * (size_t)m.link_count),
              twists(6 * (size_t)m.link_count),
              accelerations(6 * (size_t)m.link_count) {
            link_accelerations(m, q.numbers<double>(m.nq), v.numbers<double>(m.nv), vdot,
                               links.data(), twists.data(), accelerations.data());
        }
        std::vector<double> links, twists, accelerations;
    };

    Blocks blocks_;
};

// Singular values, directions by rows (forbidden ones first), rank and gap of a matrix of rows.
nb::tuple free_motion(nb::handle J, double tolerance) {
    const Borrowed J_(J, "J");
    const double* rows = J_.data<double>({-1, -1});
    const int32_t m = (int32_t)J_.shape(0), n = (int32_t)J_.shape(1), k = m < n ? m : n;
    Spectrum s;
    const Memory memory([&](Arena<double>& reals, Arena<int32_t>& ints) {
        lay_out_spectrum(m, n, reals, ints, s);
    });
    if (find_spectrum(s, rows, m, n, tolerance) < 0) raise_usage("J must be finite");
    return nb::make_tuple(
        new_array(std::vector<double>(s.values, s.values + k), {(size_t)k}),
        new_array(std::vector<double>(s.directions, s.directions + (size_t)n * (size_t)n),
                  {(size_t)n, (size_t)n}),
        s.rank, s.gap);
}

}  // namespace

void bind_mobility(nb::module_& module) {
    nb::class_<BoundLoops>(module, "BoundLoops")
        .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, double>())
        .def("hold", &BoundLoops::hold)
        .def("residual", &BoundLoops::residual)
        .def("jacobian", &BoundLoops::jacobian)
        .def("close", &BoundLoops::close, nb::arg("q"), nb::arg("within").none(),
             nb::arg("iterations"))
        .def("assemble", &BoundLoops::assemble)
        .def("finite_mobility", &BoundLoops::finite_mobility);
    nb::class_<BoundMotion>(module, "BoundMotion")
        .def(nb::init<nb::handle, nb::handle>())
        .def("mobility", &BoundMotion::mobility, nb::arg("q"), nb::arg("locked").none(),
             nb::arg("motors").none(), nb::arg("tolerance"), nb::arg("values"),
             nb::arg("directions"), nb::arg("groups"), nb::arg("reports"))
        .def("motion", &BoundMotion::motion, nb::arg("q"), nb::arg("v").none(), nb::arg("driven"),
             nb::arg("values"), nb::arg("frames"), nb::arg("frame_values"), nb::arg("size"),
             nb::arg("out"), nb::arg("missed"), nb::arg("free_motion"))
        .def("loop_bias", &BoundMotion::loop_bias)
        .def("site_motions", &BoundMotion::site_motions);
    module.def("free_motion", &free_motion, nb::arg("J"), nb::arg("tolerance"));
}
