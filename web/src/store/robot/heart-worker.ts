// A timer beside the page: it posts messages at the interval that it receives [ms].
self.onmessage = ({ data }: MessageEvent<number>) => {
  setInterval(() => self.postMessage(null), data);
};
