// Robot files for Python: a fast reader of URDF, and the numbers of a robot as formulas.
// Signatures as in formats/robots/read/conversion/numbers.py and kernels/backend.py.
#include <nanobind/nanobind.h>

#include <array>
#include <string>
#include <string_view>

#include "robots/transform.hpp"
#include "robots/urdf.hpp"
#include "python/border/arrays.hpp"
#include "python/border/slots.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

nb::object checked(PyObject* made) {
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

nb::object text_of(std::string_view text) {
    return checked(PyUnicode_FromStringAndSize(text.data(), (Py_ssize_t)text.size()));
}

// A tuple or a list of what `item(i)` makes.
template <class Item>
nb::object tuple_of(size_t count, Item item) {
    nb::object made = checked(PyTuple_New((Py_ssize_t)count));
    for (size_t i = 0; i < count; ++i)
        if (PyTuple_SetItem(made.ptr(), (Py_ssize_t)i, item(i).release().ptr()) != 0)
            throw nb::python_error();
    return made;
}
template <class Item>
nb::object list_of(size_t count, Item item) {
    nb::object made = checked(PyList_New((Py_ssize_t)count));
    for (size_t i = 0; i < count; ++i)
        if (PyList_SetItem(made.ptr(), (Py_ssize_t)i, item(i).release().ptr()) != 0)
            throw nb::python_error();
    return made;
}

// Takes an object that can be part of no cycle from what the garbage collector looks at.
nb::object untracked(nb::object made) {
    if (PyObject_GC_IsTracked(made.ptr())) PyObject_GC_UnTrack(made.ptr());
    return made;
}

nb::object floats(const double* numbers, size_t count) {
    return untracked(
        tuple_of(count, [&](size_t i) { return checked(PyFloat_FromDouble(numbers[i])); }));
}

// The numbers of a tuple that must have so many of them.
template <size_t COUNT>
std::array<double, COUNT> numbers_of(nb::handle given) {
    std::array<double, COUNT> out;
    if (!PyTuple_Check(given.ptr()) || PyTuple_Size(given.ptr()) != (Py_ssize_t)COUNT)
        raise_usage("a tuple of " + std::to_string(COUNT) + " numbers is needed");
    for (size_t i = 0; i < COUNT; ++i) {
        out[i] = PyFloat_AsDouble(PyTuple_GetItem(given.ptr(), (Py_ssize_t)i));
        if (out[i] == -1 && PyErr_Occurred()) throw nb::python_error();
    }
    return out;
}

// Numbers as constant formulas; zeros share one.
class RobotNumbers {
public:
    RobotNumbers(nb::object zero, nb::object identity)
        : zero_(zero), identity_(identity), maker_(zero), value_(maker_.place("value")) {}

    nb::object constant(double value) const {
        if (value == 0) return zero_;
        nb::object number = checked(PyFloat_FromDouble(value));
        if (!isfinite(value)) {
            const std::string shown = nb::str(number).c_str();
            const nb::object error = nb::module_::import_("kinegen.errors").attr("NumberError");
            PyErr_SetString(error.ptr(), (shown + " is not a finite number").c_str());
            throw nb::python_error();
        }
        nb::object made = maker_.make();
        maker_.set(made, value_, number);
        return untracked(std::move(made));
    }

    nb::object constants(nb::handle given) const {
        const nb::object row = checked(PySequence_Tuple(given.ptr()));
        const size_t count = (size_t)PyTuple_Size(row.ptr());
        return untracked(tuple_of(count, [&](size_t i) {
            const double value = PyFloat_AsDouble(PyTuple_GetItem(row.ptr(), (Py_ssize_t)i));
            if (value == -1 && PyErr_Occurred()) throw nb::python_error();
            return constant(value);
        }));
    }

    // x, y, z, roll, pitch, yaw of the product of transforms.
    nb::object placed(nb::args transforms) const {
        RobotTransform X{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
        bool is_first = true;
        for (nb::handle one : transforms) {
            if (one.is(identity_)) continue;
            X = is_first ? numbers_of<12>(one) : robot_compose(X, numbers_of<12>(one));
            is_first = false;
        }
        return tuple(robot_to_rpy(X));
    }

    // The centre and the inertia of a body, in the frame that X leads to.
    nb::object body(nb::handle X, nb::handle X_LC, nb::handle inertia) const {
        const RobotTransform X_C = product(X, X_LC);
        const std::array<double, 3> centre{X_C[9], X_C[10], X_C[11]};
        nb::object pair[] = {tuple(centre),
                             tuple(robot_rotate_inertia(X_C, numbers_of<6>(inertia).data()))};
        return tuple_of(2, [&](size_t i) { return std::move(pair[i]); });
    }

    // Position and angles of a shape as lists, None where they are all 0.
    nb::object shape(nb::handle X, nb::handle X_LS) const {
        const RobotTransform X_S = product(X, X_LS);
        std::array<double, 6> at{};
        if (!robot_is_identity(X_S)) at = robot_to_rpy(X_S);
        return tuple_of(2, [&](size_t k) {
            const double* part = at.data() + 3 * k;
            if (part[0] == 0 && part[1] == 0 && part[2] == 0) return nb::object(nb::none());
            return list_of(3, [&](size_t i) { return constant(part[i]); });
        });
    }

    bool is_body(nb::handle inertia) const { return robot_is_body(numbers_of<6>(inertia).data()); }

private:
    // As in Python: what is the identity itself changes nothing, not even the sign of a zero.
    RobotTransform product(nb::handle A, nb::handle B) const {
        if (A.is(identity_)) return numbers_of<12>(B);
        if (B.is(identity_)) return numbers_of<12>(A);
        return robot_compose(numbers_of<12>(A), numbers_of<12>(B));
    }

    template <size_t COUNT>
    nb::object tuple(const std::array<double, COUNT>& numbers) const {
        return untracked(tuple_of(COUNT, [&](size_t i) { return constant(numbers[i]); }));
    }

    nb::object zero_, identity_;
    SlotMaker maker_;
    size_t value_;
};

// Reads URDF texts into the classes of formats/robots/read/robot.py.
class UrdfBinding {
public:
    UrdfBinding(nb::handle link, nb::handle shape, nb::handle joint, nb::handle mimic,
                nb::object kinds, nb::object identity)
        : link_(link),
          shape_(shape),
          joint_(joint),
          mimic_(mimic),
          kinds_(kinds),
          identity_(identity) {
        if (!PyTuple_Check(kinds.ptr()) || PyTuple_Size(kinds.ptr()) != 6)
            raise_usage("six kinds of joints are needed");
        for (const char* form : {"box", "cylinder", "capsule", "sphere", "mesh"})
            forms_.push_back(text_of(form));
    }

    // Name, links, joints and what is not carried over; None where the text is declined.
    nb::object read(nb::handle text) const {
        Py_ssize_t size = 0;
        const char* data =
            PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
        if (!data) {
            PyErr_Clear();
            return nb::none();
        }
        UrdfReader reader;
        if (!reader.read({data, (size_t)size})) return nb::none();
        nb::dict links, joints;
        for (const UrdfLink& one : reader.links) {
            const nb::object name = text_of(one.name);
            links[name] = link(reader, one, name);
        }
        for (const UrdfJoint& one : reader.joints) {
            const nb::object name = text_of(one.name);
            joints[name] = joint(one, name);
        }
        const nb::object remarks = list_of(reader.remarks.size(), [&](size_t i) {
            const UrdfRemark& one = reader.remarks[i];
            return nb::object(nb::make_tuple((int)one.kind, one.offset, text_of(one.first),
                                             text_of(one.second), one.count));
        });
        return nb::make_tuple(text_of(reader.name), links, joints, remarks);
    }

private:
    nb::object pose(const UrdfPose& given) const {
        return given.is_given ? floats(given.X.data(), 12) : identity_;
    }
    static nb::object number(double value) { return checked(PyFloat_FromDouble(value)); }
    static nb::object place(uint32_t offset) { return checked(PyLong_FromUnsignedLong(offset)); }

    nb::object link(const UrdfReader& reader, const UrdfLink& given, nb::handle name) const {
        nb::object made = link_.make();
        const LinkPlaces& at = link_at_;
        link_.set(made, at.name, name);
        link_.set(made, at.at, place(given.offset));
        if (given.mass != 0) link_.set(made, at.mass, number(given.mass));
        link_.set(made, at.X_LC, pose(given.centre));
        bool has_inertia = false;
        for (const double one : given.inertia) has_inertia |= one != 0;
        if (has_inertia) link_.set(made, at.inertia, floats(given.inertia, 6));
        nb::list shapes, collisions;
        for (uint32_t i = given.first_shape; i < given.first_shape + given.shape_count; ++i) {
            const UrdfShape& one = reader.shapes[i];
            (one.is_collision ? collisions : shapes).append(shape(one));
        }
        link_.set(made, at.shapes, shapes);
        link_.set(made, at.collisions, collisions);
        return made;
    }

    nb::object shape(const UrdfShape& given) const {
        nb::object made = shape_.make();
        const ShapePlaces& at = shape_at_;
        shape_.set(made, at.kind, forms_[(size_t)given.form]);
        if (given.form == UrdfForm::MESH) {
            shape_.set(made, at.mesh, text_of(given.mesh));
            if (given.sizes[0] != 1 || given.sizes[1] != 1 || given.sizes[2] != 1)
                shape_.set(made, at.scale, floats(given.sizes, 3));
            shape_.set(made, at.at, place(given.offset));
        } else {
            shape_.set(made, at.sizes, floats(given.sizes, (size_t)given.size_count));
        }
        shape_.set(made, at.X_LS, pose(given.pose));
        if (given.color >= 0) {
            constexpr char DIGITS[] = "0123456789abcdef";
            std::string color = "#";
            for (int shift = 20; shift >= 0; shift -= 4) color += DIGITS[given.color >> shift & 15];
            shape_.set(made, at.color, text_of(color));
        }
        return made;
    }

    nb::object joint(const UrdfJoint& given, nb::handle name) const {
        nb::object made = joint_.make();
        const JointPlaces& at = joint_at_;
        joint_.set(made, at.name, name);
        joint_.set(made, at.kind, nb::handle(PyTuple_GetItem(kinds_.ptr(), (int)given.kind)));
        joint_.set(made, at.parent, text_of(given.parent));
        joint_.set(made, at.child, text_of(given.child));
        joint_.set(made, at.at, place(given.offset));
        joint_.set(made, at.X_PJ, pose(given.pose));
        joint_.set(made, at.axis, floats(given.axis, 3));
        const double limits[] = {given.lower, given.upper};
        if (given.has_limits) joint_.set(made, at.limits, floats(limits, 2));
        if (given.effort > 0) joint_.set(made, at.effort, number(given.effort));
        if (given.speed > 0) joint_.set(made, at.speed, number(given.speed));
        if (given.gear > 0) joint_.set(made, at.gear, number(given.gear));
        if (!given.mode.empty()) joint_.set(made, at.mode, text_of(given.mode));
        if (given.damping != 0) joint_.set(made, at.damping, number(given.damping));
        if (given.friction != 0) joint_.set(made, at.friction, number(given.friction));
        if (given.has_mimic) {
            nb::object mimic = mimic_.make();
            mimic_.set(mimic, mimic_.place("joint"), text_of(given.mimic));
            mimic_.set(mimic, mimic_.place("ratio"), number(given.ratio));
            mimic_.set(mimic, mimic_.place("offset"), number(given.mimic_offset));
            joint_.set(made, at.mimic, mimic);
            joint_.set(made, at.has_motor, nb::bool_(false));
        }
        return made;
    }

// A slot of a class, by its name, which is that of the member too.
#define SLOT(name) size_t name = of.place(#name)
    struct LinkPlaces {
        const SlotMaker& of;
        SLOT(name);
        SLOT(at);
        SLOT(mass);
        SLOT(X_LC);
        SLOT(inertia);
        SLOT(shapes);
        SLOT(collisions);
    };
    struct ShapePlaces {
        const SlotMaker& of;
        SLOT(kind);
        SLOT(sizes);
        SLOT(mesh);
        SLOT(scale);
        SLOT(X_LS);
        SLOT(color);
        SLOT(at);
    };
    struct JointPlaces {
        const SlotMaker& of;
        SLOT(name);
        SLOT(kind);
        SLOT(parent);
        SLOT(child);
        SLOT(at);
        SLOT(X_PJ);
        SLOT(axis);
        SLOT(limits);
        SLOT(effort);
        SLOT(speed);
        SLOT(gear);
        SLOT(mode);
        SLOT(damping);
        SLOT(friction);
        SLOT(mimic);
        SLOT(has_motor);
    };
#undef SLOT

    SlotMaker link_, shape_, joint_, mimic_;
    nb::object kinds_, identity_;
    std::vector<nb::object> forms_;
    LinkPlaces link_at_{link_};
    ShapePlaces shape_at_{shape_};
    JointPlaces joint_at_{joint_};
};

}  // namespace

void bind_robots(nb::module_& module) {
    using nb::arg;
    nb::class_<RobotNumbers>(module, "RobotNumbers")
        .def(nb::init<nb::object, nb::object>(), arg("zero"), arg("identity"))
        .def("constant", &RobotNumbers::constant, arg("value"))
        .def("constants", &RobotNumbers::constants, arg("values"))
        .def("placed", &RobotNumbers::placed)
        .def("body", &RobotNumbers::body, arg("X"), arg("X_LC"), arg("inertia"))
        .def("shape", &RobotNumbers::shape, arg("X"), arg("X_LS"))
        .def("is_body", &RobotNumbers::is_body, arg("inertia"));
    nb::class_<UrdfBinding>(module, "UrdfReader")
        .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::object, nb::object>(),
             arg("link"), arg("shape"), arg("joint"), arg("mimic"), arg("kinds"), arg("identity"))
        .def("read", &UrdfBinding::read, arg("text"));
}
