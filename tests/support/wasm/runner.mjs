// Runs a list of calls on a WebAssembly module: node runner.mjs MODULE CALLS RESULTS
//
// CALLS is a JSON list of {call, arguments, result: NAME or null}. An argument is a number; {result: NAME}, what
// an earlier call returned; {array: BASE64, type: "f64" | "i32" | "u8"}, passed as a pointer and a count
// and read back afterwards; the same with {keep: NAME} stays in memory; {kept: NAME} names it again.
// RESULTS gets {returned, arrays: [BASE64 …]} per call, or {trap: MESSAGE}.
import { readFileSync, writeFileSync } from "node:fs";

const BYTES = { f64: 8, i32: 4, u8: 1 };
const [modulePath, callsPath, resultsPath] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(modulePath));
const { exports } = new WebAssembly.Instance(module, {});
exports._initialize();
const returned = new Map();
const kept = new Map();

function place({ array, type }) {
  const bytes = Buffer.from(array, "base64");
  // one byte more, so that an empty array has an address too
  const pointer = exports.kg_alloc(bytes.length + 1);
  if (pointer === 0) throw new Error("no memory for an array");
  new Uint8Array(exports.memory.buffer, pointer, bytes.length).set(bytes);
  return { pointer, bytes: bytes.length, count: bytes.length / BYTES[type] };
}

function read({ pointer, bytes }) {
  return Buffer.from(exports.memory.buffer, pointer, bytes).toString("base64");
}

function run({ call, arguments: given, result }) {
  const passing = [];
  const arrays = [];
  const passed = given.flatMap((one) => {
    if (typeof one === "number") return [one];
    if (one.result !== undefined) return [returned.get(one.result)];
    const array = one.kept === undefined ? place(one) : kept.get(one.kept);
    if (one.keep !== undefined) kept.set(one.keep, array);
    else if (one.kept === undefined) passing.push(array);
    arrays.push(array);
    return [array.pointer, array.count];
  });
  try {
    const value = exports[call](...passed) ?? null;
    if (result !== null) returned.set(result, value);
    return { returned: value, arrays: arrays.map(read) };
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    return { trap: error.message };
  } finally {
    for (const { pointer } of passing) exports.kg_free(pointer);
  }
}

const calls = JSON.parse(readFileSync(callsPath, "utf8"));
writeFileSync(
  resultsPath,
  JSON.stringify({
    imports: WebAssembly.Module.imports(module),
    exports: WebAssembly.Module.exports(module).map(({ name }) => name),
    results: calls.map(run),
  }),
);
