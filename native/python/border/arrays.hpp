// NumPy arrays at the border of the kernels: checked on the way in, made on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace kinegen::python {

namespace nb = nanobind;

[[noreturn]] inline void raise_usage(const std::string& message) {
    const nb::object error = nb::module_::import_("kinegen.errors").attr("UsageError");
    PyErr_SetString(error.ptr(), message.c_str());
    throw nb::python_error();
}

// What was given and what is allowed, for an index among `count` things.
inline std::string not_among(int64_t given, int64_t count) {
    return std::to_string(given) + " (allowed: 0 to " + std::to_string(count - 1) + ")";
}

template <class T>
constexpr const char* DTYPE = nullptr;
template <>
inline constexpr const char* DTYPE<double> = "float64";
template <>
inline constexpr const char* DTYPE<float> = "float32";
template <>
inline constexpr const char* DTYPE<int32_t> = "int32";

// Marks an argument that may be stored by columns as well, as the transpose of an array is.
struct AnyOrder {};

// A C-contiguous array borrowed from Python: its type and shape are known, not yet checked.
class Borrowed {
public:
    Borrowed(nb::handle object, const char* name, AnyOrder) : name_(name) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT) != 0) {
            PyErr_Clear();
            raise_usage(std::string(name) + " must be a contiguous array");
        }
    }
    Borrowed(nb::handle object, const char* name, bool writable = false) : name_(name) {
        const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
            PyErr_Clear();
            raise_usage(std::string(name) + " must be a C-contiguous" +
                        (writable ? ", writable array" : " array"));
        }
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() { PyBuffer_Release(&view_); }

    bool is_by_rows() const { return PyBuffer_IsContiguous(&view_, 'C') != 0; }
    int dimensions() const { return view_.ndim; }
    int64_t shape(int axis) const { return view_.shape[axis]; }
    int64_t size() const { return view_.itemsize ? view_.len / view_.itemsize : 0; }

    // Whether the elements are T, in this machine's byte order.
    template <class T>
    bool holds() const {
        const char* format = view_.format ? view_.format : "B";
        if (format[0] == '@' || format[0] == '=') ++format;
        const bool kind = std::is_same_v<T, double>  ? format[0] == 'd'
                          : std::is_same_v<T, float> ? format[0] == 'f'
                                                     : format[0] == 'i' || format[0] == 'l';
        return kind && format[1] == 0 && view_.itemsize == (Py_ssize_t)sizeof(T);
    }

    template <class T>
    T* data() const {
        if (!holds<T>()) raise_usage(name_ + " must be of type " + DTYPE<T>);
        return static_cast<T*>(view_.buf);
    }

    // The numbers of an array of any shape that must have so many of them.
    template <class T>
    T* numbers(int64_t count) const {
        if (size() != count)
            raise_usage(name_ + " must have " + std::to_string(count) + " numbers, has " +
                        std::to_string(size()));
        return data<T>();
    }

    // The numbers of an array that must have a certain shape; -1 stands for any size.
    template <class T>
    T* data(std::initializer_list<int64_t> wanted) const {
        bool fits = dimensions() == (int)wanted.size();
        int axis = 0;
        for (int64_t size : wanted) {
            fits = fits && (size < 0 || shape(axis) == size);
            ++axis;
        }
        if (!fits) raise_usage(name_ + " must have shape " + text(wanted) + ", has " + text());
        return data<T>();
    }

private:
    template <class Sizes>
    static std::string text_of(const Sizes& sizes) {
        std::string out = "(";
        for (int64_t size : sizes)
            out += (out.size() > 1 ? ", " : "") + (size < 0 ? "any" : std::to_string(size));
        return out + ")";
    }
    static std::string text(std::initializer_list<int64_t> sizes) { return text_of(sizes); }
    std::string text() const {
        return text_of(std::vector<int64_t>(view_.shape, view_.shape + view_.ndim));
    }

    Py_buffer view_;
    std::string name_;
};

// The numbers of an array from Python, copied; all of them, or as many as there must be.
template <class T>
std::vector<T> copied(nb::handle object, const char* name) {
    const Borrowed given(object, name);
    const T* numbers = given.data<T>();
    return std::vector<T>(numbers, numbers + given.size());
}
template <class T>
std::vector<T> copied(nb::handle object, const char* name, int64_t count) {
    const Borrowed given(object, name);
    const T* numbers = given.numbers<T>(count);
    return std::vector<T>(numbers, numbers + count);
}

// Rows of `width` numbers as columns that begin `stride` apart: what one reads in order, the other
// leaps.
template <class T>
void transpose(const T* from, int64_t rows, int64_t width, T* to, int64_t stride) {
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < width; ++i) to[i * stride + r] = from[r * width + i];
}

// A new NumPy array that takes over the numbers.
template <class T>
nb::object new_array(std::vector<T>&& numbers, std::initializer_list<size_t> shape) {
    auto* kept = new std::vector<T>(std::move(numbers));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    // an empty vector has no address, and NumPy wants one
    static T nothing{};
    T* data = kept->empty() ? &nothing : kept->data();
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), owner));
}

}  // namespace kinegen::python
