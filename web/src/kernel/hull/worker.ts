// The worker that carves avatars: `new Worker(new URL(…), { type: "module" })`.
import { buffersOf, type HullQuestion, HullService } from "./service.ts";

const service = new HullService();
addEventListener("message", ({ data }: MessageEvent<HullQuestion>) => {
  const answer = service.answer(data);
  postMessage(answer, { transfer: buffersOf(answer) });
});
