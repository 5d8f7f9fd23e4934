// Arguments that most calls give as the kernels want them: asked for quickly, never refused.
#pragma once

#include <vector>

#include "kernel/base/model.hpp"
#include "python/border/arrays.hpp"

namespace kinegen::python {

// How NumPy itself describes arrays of float64: it spells the format of a buffer again each time
// it is asked, which costs more than the rest of the question.
struct Numpy {
    nb::object array, float64, dtype;  // two types, and the attribute's name

    Numpy()
        : array(nb::module_::import_("numpy").attr("ndarray")),
          float64(nb::module_::import_("numpy").attr("dtype")("float64")),
          dtype(nb::steal(PyUnicode_InternFromString("dtype"))) {}

    bool is_array(PyObject* object) const { return (PyObject*)Py_TYPE(object) == array.ptr(); }
    // Whether it is surely an array of float64; others may be as well.
    bool is_double(PyObject* object) const {
        if (!is_array(object)) return false;
        PyObject* own = PyObject_GetAttr(object, dtype.ptr());
        if (own == nullptr) {
            PyErr_Clear();
            return false;
        }
        const bool same = own == float64.ptr();
        Py_DECREF(own);
        return same;
    }
};

// Numbers of one argument when they are what the kernel wants: float64, contiguous, all of them,
// finite. Anything else is left to the caller to make so, or to refuse by name.
class Given {
public:
    // Of any shape.
    Given(const Numpy& numpy, nb::handle object) {
        if (borrow(numpy, object)) take();
    }
    Given(const Numpy& numpy, nb::handle object, int64_t count, int dimensions = 1) {
        if (borrow(numpy, object) && view_.ndim == dimensions &&
            view_.len == count * (int64_t)sizeof(double))
            take();
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
    ~Given() {
        if (held_) PyBuffer_Release(&view_);
    }
    const double* data() const { return numbers_; }
    explicit operator bool() const { return numbers_ != nullptr; }
    int dimensions() const { return held_ ? view_.ndim : 0; }
    int64_t shape(int axis) const { return view_.shape[axis]; }

private:
    // Whether it is a contiguous array of float64.
    bool borrow(const Numpy& numpy, nb::handle object) {
        const bool known = numpy.is_double(object.ptr());
        const int flags = known ? PyBUF_ND : PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
        if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
            PyErr_Clear();
            return false;
        }
        held_ = true;
        const char* format = known ? "d" : view_.format ? view_.format : "B";
        return format[0] == 'd' && format[1] == 0;
    }
    void take() {
        const double* numbers = static_cast<const double*>(view_.buf);
        const int64_t count = view_.len / (int64_t)sizeof(double);
        double sum = 0;
        for (int64_t i = 0; i < count; ++i) sum += numbers[i] * 0;  // NaN if any is not finite
        if (sum == 0) numbers_ = numbers;
    }

    Py_buffer view_;
    bool held_ = false;
    const double* numbers_ = nullptr;
};

// Where the quaternions of a model stand in q.
class Quaternions {
public:
    explicit Quaternions(const Model& m) {
        for (int32_t j = 0; j < m.joint_count; ++j)
            if (m.joint_type[j] == SPHERICAL || m.joint_type[j] == FREE)
                places_.push_back(m.joint_q[j]);
    }
    // Whether those of q are rotations, of any sensible length.
    bool are_rotations(const double* q) const {
        for (int32_t at : places_) {
            const double* n = q + at;
            const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3];
            if (!(square > 1e-12 && square < 1e12)) return false;
        }
        return true;
    }

private:
    std::vector<int32_t> places_;
};

}  // namespace kinegen::python
