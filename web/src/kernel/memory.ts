// Arrays in the kernels' memory: views are created again whenever that memory has grown.
import type { Kernels } from "./kernels.ts";

abstract class Room<A extends Float64Array | Int32Array | Uint8Array> {
  readonly pointer: number;
  private cached: A | null = null;

  constructor(
    protected readonly kernels: Kernels,
    readonly count: number,
    bytes: number,
  ) {
    this.pointer = kernels.allocate(count * bytes);
  }

  /** The numbers now. Do not keep it: growing memory detaches it. */
  get view(): A {
    const buffer = this.kernels.exports.memory.buffer;
    if (this.cached === null || this.cached.buffer !== buffer) this.cached = this.make(buffer);
    return this.cached;
  }

  free(): void {
    this.kernels.exports.kg_free(this.pointer);
  }

  protected abstract make(buffer: ArrayBuffer): A;
}

export class Doubles extends Room<Float64Array> {
  constructor(kernels: Kernels, count: number) {
    super(kernels, count, 8);
  }
  protected make(buffer: ArrayBuffer): Float64Array {
    return new Float64Array(buffer, this.pointer, this.count);
  }
}

export class Integers extends Room<Int32Array> {
  constructor(kernels: Kernels, count: number) {
    super(kernels, count, 4);
  }
  protected make(buffer: ArrayBuffer): Int32Array {
    return new Int32Array(buffer, this.pointer, this.count);
  }
}

export class Bytes extends Room<Uint8Array<ArrayBuffer>> {
  constructor(kernels: Kernels, count: number) {
    super(kernels, count, 1);
  }
  protected make(buffer: ArrayBuffer): Uint8Array<ArrayBuffer> {
    return new Uint8Array(buffer, this.pointer, this.count);
  }
}

/** Numbers of a base64 text, little endian as every browser's memory is. */
export function fromBase64(text: string): ArrayBuffer {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}
