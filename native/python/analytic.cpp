// The closed-form inverse for Python; signatures as in kernels/reference/analytic/analytic.py.
#include <nanobind/nanobind.h>

#include <vector>

#include "kernel/analytic/analytic.hpp"
#include "python/border/arrays.hpp"

namespace nb = nanobind;
using namespace kinegen;
using namespace kinegen::analytic;
using kinegen::python::Borrowed;
using kinegen::python::raise_usage;

namespace {

// One arm, with its own copy of its numbers and the arrays that every answer goes into.
class AnalyticArm {
public:
    AnalyticArm(nb::handle ints, nb::handle reals, nb::object q, nb::object residuals,
                nb::object flags)
        : q_(q, "q", true), residuals_(residuals, "residuals", true), flags_(flags, "flags", true) {
        const Borrowed ints_(ints, "ints"), reals_(reals, "reals");
        const double* from = reals_.data<double>({-1});
        numbers_.assign(from, from + reals_.size());
        if (bind_arm(ints_.data<int32_t>({-1}), ints_.size(), numbers_.data(), reals_.size(),
                     arm_) != OK)
            raise_usage("the blocks are not an arm of this version of the kernels");
        out_.q = q_.data<double>({MAX_SOLUTIONS, arm_.joints});
        out_.residuals = residuals_.data<double>({MAX_SOLUTIONS, 2});
        out_.flags = flags_.data<int32_t>({MAX_SOLUTIONS});
    }

    int32_t solve_pose(nb::handle pose, nb::handle seed, nb::handle around) {
        const Borrowed pose_(pose, "pose"), seed_(seed, "seed"), around_(around, "around");
        const double* given = pose_.data<double>({7});
        double X_WT[TRANSFORM_SIZE];
        quat_to_matrix(given, X_WT);
        for (int k = 0; k < 3; ++k) X_WT[9 + k] = given[4 + k];
        return analytic::solve_pose(arm_, X_WT, seed_.data<double>({arm_.joints}),
                                    around_.data<double>({arm_.joints}), out_);
    }

    int32_t solve_nearest(nb::handle quat, nb::handle xyz, nb::handle seed, bool limits) {
        const Borrowed quat_(quat, "quat"), xyz_(xyz, "xyz"), seed_(seed, "seed");
        const double *from = seed_.data<double>({arm_.joints}), *at = xyz_.data<double>({3});
        double X_WT[TRANSFORM_SIZE];
        quat_to_matrix(quat_.data<double>({4}), X_WT);
        for (int k = 0; k < 3; ++k) X_WT[9 + k] = at[k];
        const int32_t count = analytic::solve_pose(arm_, X_WT, from, from, out_);
        return nearest_exact(arm_, count, from, limits, out_);
    }

    int32_t solve_wrist_angle(nb::handle xyz, double angle, double roll, nb::handle seed,
                              nb::handle around) {
        const Borrowed xyz_(xyz, "xyz"), seed_(seed, "seed"), around_(around, "around");
        return analytic::solve_wrist_angle(arm_, xyz_.data<double>({3}), angle, roll,
                                           seed_.data<double>({arm_.joints}),
                                           around_.data<double>({arm_.joints}), out_);
    }

private:
    Borrowed q_, residuals_, flags_;
    std::vector<double> numbers_;
    Arm arm_;
    Solutions out_;
};

}  // namespace

void bind_analytic(nb::module_& module) {
    nb::class_<AnalyticArm>(module, "AnalyticArm")
        .def(nb::init<nb::handle, nb::handle, nb::object, nb::object, nb::object>(),
             nb::arg("ints"), nb::arg("reals"), nb::arg("q"), nb::arg("residuals"),
             nb::arg("flags"))
        .def("solve_pose", &AnalyticArm::solve_pose)
        .def("solve_nearest", &AnalyticArm::solve_nearest)
        .def("solve_wrist_angle", &AnalyticArm::solve_wrist_angle);
}
