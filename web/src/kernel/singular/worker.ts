// The worker that looks for singular poses: `new Worker(new URL(…), { type: "module" })`.
import { type FinderAnswer, type FinderQuestion, FinderService } from "./finder.ts";

const service = new FinderService();
addEventListener("message", ({ data }: MessageEvent<FinderQuestion>) => {
  const answer: FinderAnswer = service.answer(data);
  postMessage(answer);
});
