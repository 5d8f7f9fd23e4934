// Bodies of a model for the page: how near they are to each other, and that drags avoid them.
#include "kernel/base/forward.hpp"
#include "kernel/contact/clearance.hpp"
#include "kernel/solver/avoid.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

// Shapes with all that belongs to them, in two pieces of memory.
struct PageBodies {
    Avoidance avoidance;
    ClearanceList list;
    const int32_t* body;
    int32_t body_count, link_count, nv;
    double* links;
    double* reals;
    int32_t* ints;
};

PageBodies** bodies = nullptr;
int32_t bodies_room = 0;

PageBodies* find_bodies(int32_t handle, const Model& m) {
    if (handle < 1 || handle >= bodies_room || bodies[handle] == nullptr) return nullptr;
    PageBodies* const p = bodies[handle];
    return p->link_count == m.link_count && p->nv == m.nv ? p : nullptr;
}

void release(PageBodies* p) {
    if (p == nullptr) return;
    free(p->reals);
    free(p->ints);
    free(p);
}

// Everything that kernels follow blindly.
bool is_sound(const Shapes& s, const int32_t* body, int32_t corners, int32_t facets, int32_t of,
              int32_t heights) {
    for (int32_t f = 0; f < facets; ++f)
        if (s.facet_first[f] < 0 || s.facet_first[f + 1] < s.facet_first[f] + 3 ||
            s.facet_first[f + 1] > of)
            return false;
    for (int32_t i = 0; i < of; ++i)
        if (s.facet_corners[i] < 0 || s.facet_corners[i] >= corners) return false;
    for (int32_t i = 0; i < s.count; ++i) {
        const int32_t *list = s.list(i), kind = s.kind(i);
        if (s.link(i) < 0 || s.link(i) >= s.link_count || body[i] < 0 || body[i] >= s.count ||
            kind < 0 || kind > SHAPE_HULL || kind == 4)
            return false;
        if (kind == SHAPE_HULL &&
            (list[0] < 0 || list[1] < 1 || list[0] + (int64_t)list[1] > corners || list[2] < 0 ||
             list[3] < 1 || list[2] + (int64_t)list[3] > facets))
            return false;
        if (kind == SHAPE_HEIGHTS && (list[0] < 0 || list[1] < 2 || list[3] < 2 ||
                                      list[0] + (int64_t)list[1] * list[3] > heights))
            return false;
    }
    return true;
}

template <class T>
const T* keep(Arena<T>& arena, const T* from, int64_t count) {
    T* to = arena.take(count);
    if (to && count > 0) memcpy(to, from, sizeof(T) * (size_t)count);
    return to;
}

}  // namespace

Avoidance* kinegen::find_avoidance(int32_t handle, const Model& m, double keep) {
    PageBodies* const p = find_bodies(handle, m);
    if (p == nullptr) return nullptr;
    p->avoidance.keep = keep;
    return &p->avoidance;
}

// Takes over shapes, as kernels/protocols/contact.py describes them; body: that of each shape.
// Returns a handle, or a Status.
EXPORT(kg_bind_bodies)(int32_t handle, const int32_t* ints, int32_t int_count, const double* reals,
                       int32_t real_count, const double* corners, int32_t corner_count,
                       const double* planes, int32_t plane_count, const int32_t* facet_first,
                       int32_t first_count, const int32_t* facet_corners, int32_t of_count,
                       const double* heights, int32_t height_count, const int32_t* meets,
                       int32_t meet_count, const int32_t* body, int32_t count)
    ->int32_t {
    BIND(b, handle);
    const int32_t facets = plane_count / 4;
    if (count < 0 || !fits(ints, int_count, (int64_t)count * SHAPE_INTS) ||
        !fits(reals, real_count, (int64_t)count * SHAPE_REALS) ||
        !fits(corners, corner_count, 3LL * (corner_count / 3)) ||
        !fits(planes, plane_count, 4LL * facets) || !fits(facet_first, first_count, facets + 1LL) ||
        !readable(facet_corners, of_count) || !readable(heights, height_count) ||
        !fits(meets, meet_count, (int64_t)count * count) || !readable(body, count))
        return BAD_SIZE;
    PageBodies* p = static_cast<PageBodies*>(calloc(1, sizeof(PageBodies)));
    if (p == nullptr) return NO_MEMORY;
    for (int pass = 0; pass < 2; ++pass) {
        // first to count, then to copy
        Arena<double> double_arena{p->reals, 0};
        Arena<int32_t> int_arena{p->ints, 0};
        Shapes& s = p->avoidance.shapes;
        s.count = count;
        s.link_count = m.link_count;
        s.ints = keep(int_arena, ints, int_count);
        s.reals = keep(double_arena, reals, real_count);
        s.corners = keep(double_arena, corners, corner_count);
        s.planes = keep(double_arena, planes, plane_count);
        s.facet_first = keep(int_arena, facet_first, first_count);
        s.facet_corners = keep(int_arena, facet_corners, of_count);
        s.heights = keep(double_arena, heights, height_count);
        s.meets = keep(int_arena, meets, meet_count);
        p->body = keep(int_arena, body, count);
        if (pass == 1 && !is_sound(s, p->body, corner_count / 3, facets, of_count, height_count)) {
            release(p);
            return BAD_INDEX;
        }
        lay_out_shapes(double_arena, int_arena, s);
        Shapes given = s;
        given.ints = ints;
        given.meets = meets;
        p->avoidance.pair_count = list_pairs(given, nullptr);
        int32_t* pairs = int_arena.take(2LL * p->avoidance.pair_count);
        p->avoidance.pairs = pairs;
        if (pairs) list_pairs(given, pairs);
        lay_out_avoidance(m.nv, double_arena, int_arena, p->avoidance);
        p->links = double_arena.take(TRANSFORM_SIZE * (int64_t)m.link_count);
        p->body_count = 0;
        for (int32_t i = 0; i < count; ++i)
            p->body_count = body[i] >= p->body_count ? body[i] + 1 : p->body_count;
        if (p->body_count > count + 1) p->body_count = count + 1;
        const int64_t slots = (int64_t)p->body_count * p->body_count;
        p->list.slots = int_arena.take(slots);
        if (pass == 1) {
            for (int64_t i = 0; i < slots; ++i) p->list.slots[i] = -1;
            measure_shapes(s);
            s.is_placed = false;
            continue;
        }
        p->reals = static_cast<double*>(calloc((size_t)double_arena.used + 1, sizeof(double)));
        p->ints = static_cast<int32_t*>(calloc((size_t)int_arena.used + 1, sizeof(int32_t)));
        if (p->reals == nullptr || p->ints == nullptr) {
            release(p);
            return NO_MEMORY;
        }
    }
    p->link_count = m.link_count;
    p->nv = m.nv;
    int32_t at = 1;
    while (at < bodies_room && bodies[at] != nullptr) ++at;
    if (at >= bodies_room) {
        const int32_t room = 2 * at + 8;
        PageBodies** table =
            static_cast<PageBodies**>(realloc(bodies, sizeof(PageBodies*) * (size_t)room));
        if (table == nullptr) {
            release(p);
            return NO_MEMORY;
        }
        for (int32_t i = bodies_room; i < room; ++i) table[i] = nullptr;
        bodies = table;
        bodies_room = room;
    }
    bodies[at] = p;
    return at;
}

EXPORT(kg_unbind_bodies)(int32_t which)->void {
    if (which < 1 || which >= bodies_room) return;
    release(bodies[which]);
    bodies[which] = nullptr;
}

// Bodies nearer than a margin at q: two shapes and CLEARANCE_REALS numbers for each two. Returns
// how many there are, which may be more than there is room for, or a Status.
EXPORT(kg_clearances)(int32_t handle, int32_t which, const double* q, int32_t q_count,
                      double margin, int32_t* shapes, int32_t shape_count, double* rows,
                      int32_t row_count)
    ->int32_t {
    BIND(b, handle);
    PageBodies* const p = find_bodies(which, m);
    const int32_t room = shape_count / 2;
    if (p == nullptr) return BAD_HANDLE;
    if (!fits(q, q_count, m.nq) || !fits(shapes, shape_count, 2LL * room) ||
        !fits(rows, row_count, (int64_t)CLEARANCE_REALS * room))
        return BAD_SIZE;
    Avoidance& a = p->avoidance;
    forward_links(m, q, p->links);
    place_shapes(a.shapes, p->links);
    ClearanceList list = p->list;
    list.capacity = room;
    list.shapes = shapes;
    list.reals = rows;
    find_clearances(a.shapes, a.pairs, a.pair_count, p->body, p->body_count, margin, list);
    return list.count;
}
