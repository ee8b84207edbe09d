// turn.js - lets the browser draw, and hear the reader, between two pieces of work. It knows neither.

// Not by a timer: those wait longer the more of them there are, and in a page that is not seen.
export const turn = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
