// The kernels for Python: buffers in, buffers out, sizes checked here and nowhere deeper.
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "kernel/base/formula.hpp"
#include "kernel/base/forward.hpp"
#include "kernel/base/jacobian.hpp"
#include "kernel/loops/loops.hpp"
#include "kernel/base/manifold.hpp"
#include "kernel/base/tree.hpp"
#include "python/border/arrays.hpp"
#include "python/border/given.hpp"

namespace nb = nanobind;
using namespace kinegen;
using kinegen::python::Borrowed;
using kinegen::python::Given;
using kinegen::python::Numpy;
using kinegen::python::Quaternions;
using kinegen::python::raise_usage;

void bind_analytic(nb::module_& module);
void bind_contact(nb::module_& module);
void bind_linalg(nb::module_& module);
void bind_batch(nb::module_& module);
void bind_dyads(nb::module_& module);
void bind_dynamics(nb::module_& module);
void bind_haptic(nb::module_& module);
void bind_hull(nb::module_& module);
void bind_mobility(nb::module_& module);
void bind_impulse(nb::module_& module);
void bind_reduced(nb::module_& module);
void bind_robots(nb::module_& module);
void bind_solver(nb::module_& module);
void bind_singular(nb::module_& module);

namespace {

// As many float64 numbers as wanted, of any shape, read or written.
struct Reals : Borrowed {
    Reals(nb::handle object, int64_t count, const char* name, bool writable = false)
        : Borrowed(object, name, writable), numbers_(numbers<double>(count)) {}
    double* data() const { return numbers_; }

private:
    double* numbers_;
};
struct Out : Reals {
    Out(nb::handle object, int64_t count, const char* name) : Reals(object, count, name, true) {}
};

// A model's two blocks, held open, with the scratch memory that its kernels need.
class BoundModel {
public:
    BoundModel(nb::handle ints, nb::handle reals)
        : ints_(ints, "ints"), reals_(reals, "reals", true) {
        if (bind_model(ints_.data<int32_t>(), ints_.size(), reals_.data<double>(), reals_.size(),
                       model_) != OK)
            raise_usage("the blocks are not a model of this version of the kernels");
        links_.resize(TRANSFORM_SIZE * (size_t)model_.link_count);
        twists_.resize(6 * (size_t)model_.link_count);
        rows_.resize(6 * (size_t)model_.nv);
        path_.resize((size_t)model_.link_count);
        if (!is_tree(model_, path_.data()))
            raise_usage("the links of the model do not form a tree");
        marks_.resize((size_t)model_.joint_count);
        quaternions_ = std::make_unique<Quaternions>(model_);
    }

    // Whether these are numbers that need no conversion and no word: what most calls are given.
    bool is_configuration(nb::handle q) const {
        if (!numpy_.is_array(q.ptr())) return false;
        const Given q_(numpy_, q, model_.nq);
        return q_ && quaternions_->are_rotations(q_.data());
    }
    bool is_tangent(nb::handle v) const {
        return numpy_.is_array(v.ptr()) && Given(numpy_, v, model_.nv);
    }

    int32_t update() { return update_all(model_); }
    int32_t set_parameter(int32_t index, double value) {
        return kinegen::set_parameter(model_, index, value);
    }
    int32_t set_number(int32_t index, double value) {
        return kinegen::set_number(model_, index, value);
    }

    void forward_poses(nb::handle q, nb::handle poses) {
        const Reals q_(q, model_.nq, "q");
        const Out out(poses, 7LL * model_.site_count(), "poses");
        kinegen::forward_poses(model_, q_.data(), links_.data(), out.data());
    }
    void site_pose(nb::handle q, int32_t site, nb::handle pose) {
        const Reals q_(q, model_.nq, "q");
        const Out out(pose, 7, "pose");
        check_site(site, 0);
        double X_WS[TRANSFORM_SIZE];
        forward_path(model_, q_.data(), model_.site_link(site), path_.data(), links_.data());
        site_transform(model_, links_.data(), site, X_WS);
        to_pose(X_WS, out.data());
    }
    void forward_links(nb::handle q, nb::handle transforms) {
        const Reals q_(q, model_.nq, "q");
        const Out out(transforms, (int64_t)TRANSFORM_SIZE * model_.link_count, "transforms");
        kinegen::forward_links(model_, q_.data(), out.data());
    }
    void link_twists(nb::handle q, nb::handle v, nb::handle twists) {
        const Reals q_(q, model_.nq, "q"), v_(v, model_.nv, "v");
        const Out out(twists, 6LL * model_.link_count, "twists");
        kinegen::forward_links(model_, q_.data(), links_.data());
        kinegen::link_twists(model_, q_.data(), v_.data(), links_.data(), out.data());
    }
    void loop_poses(nb::handle q, nb::handle poses) {
        const Reals q_(q, model_.nq, "q");
        const Out out(poses, 14LL * model_.loop_count, "poses");
        kinegen::forward_links(model_, q_.data(), links_.data());
        double X_WM[TRANSFORM_SIZE], X_WK[TRANSFORM_SIZE];
        for (int32_t loop = 0; loop < model_.loop_count; ++loop) {
            loop_transforms(model_, q_.data(), links_.data(), loop, X_WM, X_WK);
            to_pose(X_WM, out.data() + 14 * loop);
            to_pose(X_WK, out.data() + 14 * loop + 7);
        }
    }
    void site_jacobian(nb::handle q, int32_t site, nb::handle point, int32_t axes, nb::handle pose,
                       nb::handle J) {
        const Reals q_(q, model_.nq, "q"), point_(point, 3, "point");
        const Out pose_(pose, 7, "pose"), J_(J, 6LL * model_.nv, "J");
        check_site(site, 0);
        check_site(axes, -1);
        double X_WS[TRANSFORM_SIZE];
        kinegen::site_jacobian(model_, q_.data(), site, point_.data(), axes, links_.data(),
                               path_.data(), X_WS, J_.data());
        to_pose(X_WS, pose_.data());
    }
    void site_jacobian_dot(nb::handle q, nb::handle v, int32_t site, nb::handle point, int32_t axes,
                           nb::handle J_dot) {
        const Reals q_(q, model_.nq, "q"), v_(v, model_.nv, "v"), point_(point, 3, "point");
        const Out J_dot_(J_dot, 6LL * model_.nv, "J_dot");
        check_site(site, 0);
        check_site(axes, -1);
        kinegen::site_jacobian_dot(model_, q_.data(), v_.data(), site, point_.data(), axes,
                                   links_.data(), twists_.data(), rows_.data(), J_dot_.data());
    }
    void loop_residual(nb::handle q, nb::handle phi) {
        const Reals q_(q, model_.nq, "q");
        const Out phi_(phi, 6LL * model_.loop_count, "phi");
        kinegen::loop_residual(model_, q_.data(), links_.data(), phi_.data());
    }
    void loop_jacobian(nb::handle q, nb::handle J) {
        const Reals q_(q, model_.nq, "q");
        const Out J_(J, 6LL * model_.loop_count * model_.nv, "J");
        kinegen::loop_jacobian(model_, q_.data(), links_.data(), marks_.data(), J_.data());
    }
    void augmented_jacobian(nb::handle q, nb::handle tasks, nb::handle J) {
        const Reals q_(q, model_.nq, "q");
        const Borrowed tasks_(tasks, "tasks");
        const int32_t* pairs = tasks_.data<int32_t>();
        const int32_t count = (int32_t)(tasks_.size() / 2);
        int64_t rows = 6LL * model_.loop_count;
        for (int32_t t = 0; t < count; ++t) {
            check_site(pairs[2 * t], 0);
            const int32_t kind = pairs[2 * t + 1];
            if (kind < TASK_POSE || kind > TASK_ROTATION)
                raise_usage("no such task: " + kinegen::python::not_among(kind, TASK_ROTATION + 1));
            rows += task_row_count(kind);
        }
        const Out J_(J, rows * model_.nv, "J");
        kinegen::augmented_jacobian(model_, q_.data(), pairs, count, links_.data(), marks_.data(),
                                    rows_.data(), J_.data());
    }
    void integrate(nb::handle q, nb::handle v, nb::handle out) {
        const Reals q_(q, model_.nq, "q"), v_(v, model_.nv, "v");
        const Out out_(out, model_.nq, "out");
        kinegen::integrate(model_, q_.data(), v_.data(), out_.data());
    }
    void integrate_for(nb::handle q, nb::handle v, nb::handle out, double dt) {
        const Reals q_(q, model_.nq, "q"), v_(v, model_.nv, "v");
        const Out out_(out, model_.nq, "out");
        for (int32_t i = 0; i < model_.nv; ++i) rows_[(size_t)i] = v_.data()[i] * dt;
        kinegen::integrate(model_, q_.data(), rows_.data(), out_.data());
    }
    void difference(nb::handle q0, nb::handle q1, nb::handle out) {
        const Reals a(q0, model_.nq, "q0"), b(q1, model_.nq, "q1");
        const Out out_(out, model_.nv, "out");
        kinegen::difference(model_, a.data(), b.data(), out_.data());
    }

    const Model& model() const { return model_; }

    void check_site(int32_t site, int32_t lowest) const {
        if (site < lowest || site >= model_.site_count())
            raise_usage("no such link or frame: " +
                        kinegen::python::not_among(site, model_.site_count()));
    }

private:
    Borrowed ints_, reals_;
    Model model_;
    std::vector<double> links_, twists_, rows_;
    std::vector<int32_t> path_, marks_;
    std::unique_ptr<Quaternions> quaternions_;
    Numpy numpy_;
};

// Pose and Jacobian of one site, again and again, into the same two arrays: no allocation, no
// lookup, one call.
class Evaluator {
public:
    Evaluator(const BoundModel& bound, int32_t site, int32_t axes, nb::object pose, nb::object J)
        : model_(bound.model()),
          site_(site),
          axes_(axes),
          result_(nb::make_tuple(pose, J)),
          pose_(pose, 7, "pose"),
          J_(J, 6LL * model_.nv, "J"),
          links_(TRANSFORM_SIZE * (size_t)model_.link_count),
          path_((size_t)model_.link_count) {
        bound.check_site(site, 0);
        bound.check_site(axes, -1);
    }

    nb::object operator()(nb::handle q) {
        const Reals q_(q, model_.nq, "q");
        const double origin[3] = {0, 0, 0};
        double X_WS[TRANSFORM_SIZE];
        site_jacobian(model_, q_.data(), site_, origin, axes_, links_.data(), path_.data(), X_WS,
                      J_.data());
        to_pose(X_WS, pose_.data());
        return result_;
    }

private:
    const Model& model_;
    int32_t site_, axes_;
    nb::object result_;
    Out pose_, J_;
    std::vector<double> links_;
    std::vector<int32_t> path_;
};

}  // namespace

NB_MODULE(_native, module) {
    // a model that is still alive when Python ends is nothing to warn of
    nb::set_leak_warnings(false);
    module.attr("LAYOUT_VERSION") = LAYOUT_VERSION;
    nb::class_<BoundModel>(module, "BoundModel")
        .def(nb::init<nb::handle, nb::handle>(), nb::arg("ints"), nb::arg("reals"))
        .def("update", &BoundModel::update)
        .def("set_parameter", &BoundModel::set_parameter)
        .def("set_number", &BoundModel::set_number)
        .def("is_configuration", &BoundModel::is_configuration, nb::arg("q").none())
        .def("is_tangent", &BoundModel::is_tangent, nb::arg("v").none())
        .def("forward_poses", &BoundModel::forward_poses)
        .def("site_pose", &BoundModel::site_pose)
        .def("forward_links", &BoundModel::forward_links)
        .def("link_twists", &BoundModel::link_twists)
        .def("loop_poses", &BoundModel::loop_poses)
        .def("site_jacobian", &BoundModel::site_jacobian)
        .def("site_jacobian_dot", &BoundModel::site_jacobian_dot)
        .def("loop_residual", &BoundModel::loop_residual)
        .def("loop_jacobian", &BoundModel::loop_jacobian)
        .def("augmented_jacobian", &BoundModel::augmented_jacobian)
        .def("integrate", &BoundModel::integrate)
        .def("integrate", &BoundModel::integrate_for)
        .def("difference", &BoundModel::difference);
    nb::class_<Evaluator>(module, "Evaluator")
        .def(nb::init<const BoundModel&, int32_t, int32_t, nb::object, nb::object>(),
             nb::keep_alive<1, 2>())
        .def("__call__", &Evaluator::operator());
    bind_analytic(module);
    bind_contact(module);
    bind_linalg(module);
    bind_batch(module);
    bind_dyads(module);
    bind_dynamics(module);
    bind_haptic(module);
    bind_hull(module);
    bind_mobility(module);
    bind_impulse(module);
    bind_reduced(module);
    bind_robots(module);
    bind_solver(module);
    bind_singular(module);
}
