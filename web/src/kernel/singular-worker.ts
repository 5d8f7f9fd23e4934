// The worker that looks for singular poses: `new Worker(new URL(…), { type: "module" })`.
import { type FinderAnswer, type FinderQuestion, FinderService } from "./singular-finder.ts";

const service = new FinderService();
const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<FinderQuestion>) => void) | null;
  postMessage(answer: FinderAnswer): void;
};
scope.onmessage = ({ data }) => scope.postMessage(service.answer(data));
