//! What the page's kernels use of a C library: some functions of mathematics, and memory. The rest
//! comes with the compiler. Compiling all of wasi-libc took longer than compiling the kernels.

const std = @import("std");

/// Called once by the page; nothing here needs a start.
export fn _initialize() void {}

export fn acos(x: f64) f64 {
    return std.math.acos(x);
}

export fn asin(x: f64) f64 {
    return std.math.asin(x);
}

export fn atan(x: f64) f64 {
    return std.math.atan(x);
}

export fn atan2(y: f64, x: f64) f64 {
    return std.math.atan2(y, x);
}

export fn hypot(x: f64, y: f64) f64 {
    return std.math.hypot(x, y);
}

export fn pow(x: f64, y: f64) f64 {
    return std.math.pow(f64, x, y);
}

export fn ldexp(x: f64, exponent: c_int) f64 {
    return std.math.ldexp(x, exponent);
}

export fn frexp(x: f64, exponent: *c_int) f64 {
    const parts = std.math.frexp(x);
    exponent.* = parts.exponent;
    return parts.significand;
}

/// Memory is counted in blocks of 16 bytes, aligned for any number; the first says how many they are.
const Block = extern struct { count: usize align(16) };
const memory = std.heap.wasm_allocator;

export fn malloc(bytes: usize) ?*anyopaque {
    const count = bytes / @sizeOf(Block) + 2;
    const blocks = memory.alloc(Block, count) catch return null;
    blocks[0].count = count;
    return @ptrCast(blocks.ptr + 1);
}

export fn free(given: ?*anyopaque) void {
    const address = given orelse return;
    const blocks = @as([*]Block, @ptrCast(@alignCast(address))) - 1;
    memory.free(blocks[0..blocks[0].count]);
}

/// Memory that is all zeros; compilers turn `malloc` with `memset` into it.
export fn calloc(count: usize, size: usize) ?*anyopaque {
    const bytes = std.math.mul(usize, count, size) catch return null;
    const address = malloc(bytes) orelse return null;
    @memset(@as([*]u8, @ptrCast(address))[0..bytes], 0);
    return address;
}

export fn realloc(given: ?*anyopaque, bytes: usize) ?*anyopaque {
    const from = given orelse return malloc(bytes);
    const to = malloc(bytes) orelse return null;
    const blocks = @as([*]Block, @ptrCast(@alignCast(from))) - 1;
    const kept = @min((blocks[0].count - 1) * @sizeOf(Block), bytes);
    @memcpy(@as([*]u8, @ptrCast(to))[0..kept], @as([*]u8, @ptrCast(from))[0..kept]);
    free(from);
    return to;
}
