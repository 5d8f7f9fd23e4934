// Dynamics of the tree for Python; signatures as in kernels/reference/dynamics/bound.py.
#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <vector>

#include "batch/dispatch.hpp"
#include "kernel/dynamics/forward.hpp"
#include "kernel/dynamics/inverse.hpp"
#include "kernel/dynamics/mass.hpp"
#include "kernel/dynamics/measures.hpp"
#include "python/border/arrays.hpp"
#include "python/border/given.hpp"
#include "python/base/model.hpp"
#include "python/border/threads.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

// Dynamics of one model. Methods return None when an argument is not as the kernels want it.
class BoundDynamics {
public:
    BoundDynamics(nb::handle ints, nb::handle reals)
        : ints_(ints, "ints"),
          reals_(reals, "reals", true),
          model_(model_in(ints_, reals_)),
          quaternions_(model_) {
        Arena<double> count{nullptr, 0};
        lay_out(count);
        memory_.resize((size_t)count.used + 1);
        Arena<double> arena{memory_.data(), 0};
        lay_out(arena);
        empty_ = nb::module_::import_("numpy").attr("empty");
        vector_ = nb::make_tuple(model_.nv);
        matrix_ = nb::make_tuple(model_.nv, model_.nv);
        measures_ = nb::make_tuple((int)MEASURE_COUNT);
    }

    nb::object inverse(nb::handle q, nb::handle v, nb::handle vdot, nb::handle wrenches) {
        const Given q_(numpy_, q, model_.nq), v_(numpy_, v, model_.nv),
            vdot_(numpy_, vdot, model_.nv);
        if (!is_pose(q_) || !v_ || !vdot_) return nb::none();
        return with_wrenches(wrenches, [&](const double* outer, double* out) {
            inverse_dynamics(model_, q_.data(), v_.data(), vdot_.data(), outer, motions_, out);
        });
    }
    nb::object bias(nb::handle q, nb::handle v, nb::handle wrenches) {
        const Given q_(numpy_, q, model_.nq), v_(numpy_, v, model_.nv);
        if (!is_pose(q_) || !v_) return nb::none();
        return with_wrenches(wrenches, [&](const double* outer, double* out) {
            bias_efforts(model_, q_.data(), v_.data(), outer, motions_, out);
        });
    }
    nb::object gravity(nb::handle q, nb::handle wrenches) {
        const Given q_(numpy_, q, model_.nq);
        if (!is_pose(q_)) return nb::none();
        return with_wrenches(wrenches, [&](const double* outer, double* out) {
            gravity_efforts(model_, q_.data(), outer, motions_, out);
        });
    }
    nb::object mass(nb::handle q) {
        const Given q_(numpy_, q, model_.nq);
        if (!is_pose(q_)) return nb::none();
        return fill(matrix_, (int64_t)model_.nv * model_.nv,
                    [&](double* out) { mass_matrix(model_, q_.data(), composites_, out); });
    }
    // An integer is the number of a joint that has no mass to move.
    nb::object forward(nb::handle q, nb::handle v, nb::handle tau, nb::handle wrenches) {
        const Given q_(numpy_, q, model_.nq), v_(numpy_, v, model_.nv),
            tau_(numpy_, tau, model_.nv);
        if (!is_pose(q_) || !v_ || !tau_) return nb::none();
        int32_t status = 0;
        nb::object out = with_wrenches(wrenches, [&](const double* outer, double* vdot) {
            status =
                forward_dynamics(model_, q_.data(), v_.data(), tau_.data(), outer, forward_, vdot);
        });
        return status > 0 ? nb::int_(status - 1) : out;
    }
    // H⁻¹ times one vector, or times each row of several.
    nb::object inverse_mass(nb::handle q, nb::handle rows) {
        const Given q_(numpy_, q, model_.nq), rows_(numpy_, rows);
        const int dimensions = rows_.dimensions();
        if (!is_pose(q_) || !rows_ || dimensions < 1 || dimensions > 2 ||
            rows_.shape(dimensions - 1) != model_.nv)
            return nb::none();
        const int64_t count = dimensions == 1 ? 1 : rows_.shape(0);
        const nb::tuple shape = dimensions == 1 ? vector_ : nb::make_tuple(count, model_.nv);
        int32_t status = 0;
        nb::object out = fill(shape, count * model_.nv, [&](double* to) {
            status = articulate(model_, q_.data(), forward_);
            for (int64_t i = 0; i < count; ++i)
                apply_inverse_mass(model_, rows_.data() + i * model_.nv, forward_,
                                   to + i * model_.nv);
        });
        return status > 0 ? nb::int_(status - 1) : out;
    }
    // The same by the sparse factors of H.
    nb::object factored_mass(nb::handle q, nb::handle rows) {
        const Given q_(numpy_, q, model_.nq);
        const Borrowed rows_(rows, "rows");
        if (!is_pose(q_) || rows_.dimensions() != 2 || rows_.shape(1) != model_.nv)
            return nb::none();
        const int64_t count = rows_.shape(0), nv = model_.nv;
        const double* from = rows_.data<double>();
        std::vector<double> H((size_t)(nv * nv)), scratch((size_t)nv);
        std::vector<int32_t> order((size_t)nv), before((size_t)nv);
        const int32_t dof = order_variables(model_, order.data(), before.data());
        mass_matrix(model_, q_.data(), composites_, H.data());
        const int32_t status = factor_mass(model_.nv, order.data(), before.data(), dof, H.data());
        if (status > 0) return nb::int_(joint_of(status - 1));
        return fill(nb::make_tuple(count, nv), count * nv, [&](double* to) {
            for (int64_t i = 0; i < count; ++i) {
                double* x = to + i * nv;
                for (int64_t k = 0; k < nv; ++k) x[k] = from[i * nv + k];
                solve_mass(model_.nv, order.data(), before.data(), dof, H.data(), x,
                           scratch.data());
            }
        });
    }
    nb::object measures(nb::handle q, nb::handle v) {
        const Given q_(numpy_, q, model_.nq), v_(numpy_, v, model_.nv);
        if (!is_pose(q_) || !v_) return nb::none();
        return fill(measures_, MEASURE_COUNT,
                    [&](double* out) { measure(model_, q_.data(), v_.data(), flights_, out); });
    }
    nb::object passive(nb::handle q, nb::handle v) {
        const Given q_(numpy_, q, model_.nq), v_(numpy_, v, model_.nv);
        if (!is_pose(q_) || !v_) return nb::none();
        return fill(vector_, model_.nv,
                    [&](double* out) { passive_efforts(model_, q_.data(), v_.data(), out); });
    }

private:
    // Whether q is there and its quaternions are rotations.
    bool is_pose(const Given& q) const { return q && quaternions_.are_rotations(q.data()); }
    // The joint that a variable belongs to.
    int32_t joint_of(int32_t variable) const {
        int32_t joint = 0;
        while (variable < model_.joint_v[joint] ||
               variable >= model_.joint_v[joint] + JOINT_NV[model_.joint_type[joint]])
            ++joint;
        return joint;
    }
    void lay_out(Arena<double>& arena) {
        motions_ = take_motions(arena, model_);
        composites_ = take_composites(arena, model_);
        forward_ = take_forward(arena, model_);
        flights_ = take_flights(arena, model_);
    }

    // A new array with what `work` writes.
    template <class Work>
    nb::object fill(const nb::tuple& shape, int64_t count, const Work& work) {
        PyObject* made = PyObject_CallOneArg(empty_.ptr(), shape.ptr());
        if (made == nullptr) throw nb::python_error();
        nb::object out = nb::steal(made);
        Py_buffer view;
        if (PyObject_GetBuffer(made, &view, PyBUF_WRITABLE) != 0) throw nb::python_error();
        if (view.len == count * (int64_t)sizeof(double)) work(static_cast<double*>(view.buf));
        PyBuffer_Release(&view);
        return out;
    }
    template <class Work>
    nb::object with_wrenches(nb::handle wrenches, const Work& work) {
        if (wrenches.is_none())
            return fill(vector_, model_.nv, [&](double* out) { work(nullptr, out); });
        const Given outer(numpy_, wrenches, 6LL * model_.link_count, 2);
        if (!outer) return nb::none();
        return fill(vector_, model_.nv, [&](double* out) { work(outer.data(), out); });
    }

    Borrowed ints_, reals_;
    Model model_;
    Quaternions quaternions_;
    std::vector<double> memory_;
    LinkMotion<double>* motions_ = nullptr;
    Composite<double>* composites_ = nullptr;
    ForwardMemory<double> forward_;
    LinkFlight<double>* flights_ = nullptr;
    Numpy numpy_;
    nb::object empty_;
    nb::tuple vector_, matrix_, measures_;
};

// States that a thread takes at a time: few, for each is long work.
constexpr int64_t STATES = 256;

// Memory as the widest lanes want it.
class Aligned {
public:
    explicit Aligned(int64_t bytes) : memory_((size_t)bytes + 64) {}
    void* data() {
        const auto at = reinterpret_cast<uintptr_t>(memory_.data());
        return memory_.data() + ((64 - at % 64) % 64);
    }

private:
    std::vector<char> memory_;
};

// A batch has a row per state in all its arrays; lanes want columns. A thread turns those of the
// states that it takes, which stay in its cache.
int32_t py_batch_dynamics(int32_t task, nb::handle ints, nb::handle reals, nb::handle q,
                          nb::handle v, nb::handle x, nb::handle wrenches, nb::handle out,
                          int threads) {
    const Borrowed ints_(ints, "ints"), reals_(reals, "reals"), q_(q, "q");
    const Model m = model_in(ints_, reals_);
    if (task < 0 || task >= TASK_COUNT)
        raise_usage("no such task: " + kinegen::python::not_among(task, TASK_COUNT));
    if (q_.dimensions() != 2) raise_usage("q must have shape (N, nq)");
    const int64_t count = q_.shape(0), push = 6LL * m.link_count;
    const double* q_rows = q_.data<double>({count, m.nq});
    std::vector<std::unique_ptr<Borrowed>> held;
    const auto rows_of = [&](nb::handle array, const char* name, bool needed) -> const double* {
        if (array.is_none()) {
            if (needed) raise_usage(std::string(name) + " must be given for this task");
            return nullptr;
        }
        held.push_back(std::make_unique<Borrowed>(array, name));
        return held.back()->data<double>({count, m.nv});
    };
    const double* v_rows = rows_of(v, "v", task != TASK_GRAVITY && task != TASK_MASS);
    const double* x_rows = rows_of(x, "x", task == TASK_INVERSE || task == TASK_FORWARD);
    const double* push_rows = nullptr;
    if (!wrenches.is_none()) {
        held.push_back(std::make_unique<Borrowed>(wrenches, "wrenches"));
        push_rows = held.back()->data<double>({count, m.link_count, 6});
    }
    const Borrowed out_(out, "out", true);
    const int64_t width = dynamics_rows(m, task);
    double* to = out_.numbers<double>(width * count);

    const BatchKernels& run = batch_kernels();
    const int64_t bytes = run.dynamics_bytes(m, task, push_rows != nullptr);
    std::atomic<int32_t> status{0};
    nb::gil_scoped_release release;
    in_parallel(count, threads, STATES, [&](int64_t begin, int64_t end) {
        const int64_t some = end - begin;
        Aligned memory(bytes);
        const int64_t numbers = m.nq + 2 * m.nv + (push_rows == nullptr ? 0 : push) + width;
        const auto columns = std::make_unique_for_overwrite<double[]>((size_t)(some * numbers));
        double* free = columns.get();
        const auto turned = [&](const double* rows, int64_t count_of) -> const double* {
            if (rows == nullptr) return nullptr;
            transpose(rows + begin * count_of, some, count_of, free, some);
            free += some * count_of;
            return free - some * count_of;
        };
        DynamicsColumns part = {};
        part.q = turned(q_rows, m.nq);
        part.v = turned(v_rows, m.nv);
        part.x = turned(x_rows, m.nv);
        part.wrenches = turned(push_rows, push);
        part.stride = some;
        const int32_t found = run.dynamics(m, task, part, some, memory.data(), free);
        transpose(free, width, some, to + begin * width, width);
        if (found != 0) status = found;
    });
    return status;
}

}  // namespace

void bind_dynamics(nb::module_& module) {
    // None is an argument like others that the kernels cannot take
    const auto any = [](const char* name) { return nb::arg(name).none(); };
    nb::class_<BoundDynamics>(module, "BoundDynamics")
        .def(nb::init<nb::handle, nb::handle>(), nb::arg("ints"), nb::arg("reals"))
        .def("inverse", &BoundDynamics::inverse, any("q"), any("v"), any("vdot"), any("wrenches"))
        .def("bias", &BoundDynamics::bias, any("q"), any("v"), any("wrenches"))
        .def("gravity", &BoundDynamics::gravity, any("q"), any("wrenches"))
        .def("mass", &BoundDynamics::mass, any("q"))
        .def("forward", &BoundDynamics::forward, any("q"), any("v"), any("tau"), any("wrenches"))
        .def("inverse_mass", &BoundDynamics::inverse_mass, any("q"), any("rows"))
        .def("factored_mass", &BoundDynamics::factored_mass, any("q"), nb::arg("rows"))
        .def("measures", &BoundDynamics::measures, any("q"), any("v"))
        .def("passive", &BoundDynamics::passive, any("q"), any("v"));
    module.def("batch_dynamics", &py_batch_dynamics, nb::arg("task"), nb::arg("ints"),
               nb::arg("reals"), nb::arg("q"), nb::arg("v").none(), nb::arg("x").none(),
               nb::arg("wrenches").none(), nb::arg("out"), nb::arg("threads"));
}
