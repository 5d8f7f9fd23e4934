// Objects of Python classes with __slots__, made without a call of their __init__: readers of large
// files make hundred thousands of them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "python/border/arrays.hpp"

namespace kinegen::python {

// Makes copies of one object of such a class. A copy shares the values of its slots, unless they
// are set afterwards.
class SlotMaker {
public:
    explicit SlotMaker(nb::handle prototype) : type_(nb::borrow(prototype.type())) {
        if (!nb::hasattr(type_, "__slots__") || !PyTuple_Check(type_.attr("__slots__").ptr()))
            raise_usage("an object of a class with __slots__ is needed");
        for (nb::handle name : type_.attr("__slots__")) {
            if (!nb::hasattr(prototype, name)) raise_usage("the object has an empty slot");
            Slot slot{nb::str(name).c_str(), type_.attr(name), nullptr,
                      nb::getattr(prototype, name)};
            slot.set = (descrsetfunc)PyType_GetSlot(Py_TYPE(slot.member.ptr()), Py_tp_descr_set);
            if (!slot.set) raise_usage("slot '" + slot.name + "' cannot be set");
            slots_.push_back(std::move(slot));
        }
    }

    size_t place(std::string_view name) const {
        for (size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i].name == name) return i;
        raise_usage("the class has no slot '" + std::string(name) + "'");
    }

    nb::object make() const {
        const auto type = (PyTypeObject*)type_.ptr();
        nb::object made = nb::steal(PyType_GenericAlloc(type, 0));
        if (!made.is_valid()) throw nb::python_error();
        for (const Slot& slot : slots_) set(made, slot, slot.value);
        return made;
    }

    void set(nb::handle made, size_t place, nb::handle value) const {
        set(made, slots_[place], value);
    }

private:
    struct Slot {
        std::string name;
        nb::object member;
        descrsetfunc set;
        nb::object value;
    };

    static void set(nb::handle made, const Slot& slot, nb::handle value) {
        if (slot.set(slot.member.ptr(), made.ptr(), value.ptr()) != 0) throw nb::python_error();
    }

    nb::object type_;
    std::vector<Slot> slots_;
};

}  // namespace kinegen::python
