import { describe, expect, it } from "vitest";

import { FrameLoop, type FrameSource } from "../../src/interact/frame-loop.ts";

/** Frames that come when they are asked to, 20 ms apart. */
class Frames implements FrameSource {
  now = 1000;
  private readonly asked = new Map<number, (now: number) => void>();
  private next = 1;

  request(step: (now: number) => void): number {
    this.asked.set(this.next, step);
    return this.next++;
  }
  cancel(request: number): void {
    this.asked.delete(request);
  }
  get waiting(): number {
    return this.asked.size;
  }
  /** Lets time pass [ms]; how many frames were drawn in it. */
  pass(time: number): number {
    let count = 0;
    for (const end = this.now + time; this.now < end;) {
      this.now += 20;
      const due = [...this.asked.values()];
      this.asked.clear();
      for (const step of due) step(this.now);
      count += due.length;
    }
    return count;
  }
}

describe("a loop of frames", () => {
  it("asks for none until it is woken, and for none after a rest", () => {
    const frames = new Frames();
    const loop = new FrameLoop(() => false, frames);
    expect(frames.pass(1000)).toBe(0);
    loop.wake();
    loop.wake();
    expect(frames.waiting).toBe(1);
    expect(frames.pass(400)).toBe(20);
    expect(loop.isAwake).toBe(true);
    expect(frames.pass(5000)).toBeLessThan(10);
    expect(loop.isAwake).toBe(false);
    expect(frames.waiting).toBe(0);
  });

  it("goes on while there is something to do or it is woken", () => {
    const frames = new Frames();
    let busy = true;
    const loop = new FrameLoop(() => busy, frames);
    loop.wake();
    expect(frames.pass(5000)).toBe(250);
    busy = false;
    for (let i = 0; i < 10; i++) {
      expect(frames.pass(400)).toBe(20);
      loop.wake();
    }
    frames.pass(1000);
    expect(loop.isAwake).toBe(false);
  });

  it("stays awake for what a step itself asks for", () => {
    const frames = new Frames();
    let left = 100;
    const loop: FrameLoop = new FrameLoop(() => {
      if (--left > 0) loop.wake();
      return false;
    }, frames);
    loop.wake();
    frames.pass(1980);
    expect(left).toBe(1);
    frames.pass(3000);
    expect(loop.isAwake).toBe(false);
  });

  it("counts no time of its sleep, and not all of a late frame", () => {
    const frames = new Frames();
    const passed: number[] = [];
    const loop = new FrameLoop((seconds) => passed.push(seconds) < 0, frames);
    loop.wake();
    frames.pass(40);
    expect(passed).toEqual([0, 0.02]);
    frames.now += 300;
    frames.pass(20);
    expect(passed.at(-1)).toBe(0.1);
    frames.pass(5000);
    const before = passed.length;
    loop.wake();
    frames.pass(20);
    expect(passed.slice(before)).toEqual([0]);
  });

  it("survives a step that fails", () => {
    const frames = new Frames();
    let fails = true;
    const loop = new FrameLoop(() => {
      if (fails) throw new Error("once");
      return false;
    }, frames);
    loop.wake();
    expect(() => frames.pass(20)).toThrow("once");
    fails = false;
    expect(frames.pass(20)).toBe(1);
  });

  it("never wakes again once it is stopped", () => {
    const frames = new Frames();
    const loop = new FrameLoop(() => true, frames);
    loop.wake();
    loop.stop();
    loop.wake();
    expect(frames.pass(1000)).toBe(0);
    expect(loop.isAwake).toBe(false);
  });
});
