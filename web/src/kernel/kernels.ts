// The WebAssembly kernels: one module, its memory, and what to do when a call traps.
import { LAYOUT_VERSION } from "./tables/layout.ts";

/** Exports of native/wasm*.cpp. Pointers are byte offsets; arrays are a pointer and a count. */
export interface KernelExports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  kg_alloc(bytes: number): number;
  kg_free(pointer: number): undefined;
  kg_layout_version(): number;
  [name: `kg_${string}`]: (...numbers: number[]) => number | undefined;
}

/** A call into the kernels ended in a trap; they have been started again, nothing was changed. */
export class KernelTrap extends Error {
  override readonly name = "KernelTrap";
}

export class Kernels {
  exports: KernelExports;
  /** Grows when the kernels had to be started again: what was bound before is gone. */
  generation = 0;

  constructor(readonly module: WebAssembly.Module) {
    this.exports = start(module);
    if (this.exports.kg_layout_version() !== LAYOUT_VERSION)
      throw new Error("the kernels and this page have different versions: reload the page");
  }

  /** Whether the module offers a function; later versions have more. */
  has(name: string): boolean {
    return name in this.exports;
  }

  /** Memory for so many bytes. */
  allocate(bytes: number): number {
    // one byte more, so that an empty array has an address too
    const pointer = this.exports.kg_alloc(bytes + 1);
    if (pointer === 0) throw new Error("the kernels ran out of memory");
    return pointer;
  }

  /** What `work` gives; when it traps, the kernels start again and KernelTrap is thrown. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.exports = start(this.module);
      this.generation += 1;
      throw new KernelTrap(`the kernels stopped (${error.message}) and were restarted`);
    }
  }
}

function start(module: WebAssembly.Module): KernelExports {
  const instance = new WebAssembly.Instance(module, {});
  const { exports } = instance;
  if (!areKernels(exports)) throw new Error("this WebAssembly module has no kernels");
  exports._initialize();
  return exports;
}

function areKernels(exports: WebAssembly.Exports): exports is KernelExports {
  const needed = ["_initialize", "kg_alloc", "kg_free", "kg_layout_version"];
  const isThere = (name: string): boolean => typeof exports[name] === "function";
  return exports.memory instanceof WebAssembly.Memory && needed.every(isThere);
}

/** The kernels from the bytes of kinegen.wasm, fetched or inlined. */
export async function loadKernels(bytes: BufferSource): Promise<Kernels> {
  return new Kernels(await WebAssembly.compile(bytes));
}
