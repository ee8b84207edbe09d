// app.js - the page as an app: registers the service worker, and tells it what to keep for a time without a network. A page without a
// manifest, such as /embed, is no app; a browser without workers, or one that may not keep anything, goes without.
import { language } from './words.js';

// The scripts of this page, in its language.
function wanted() {
  const links = (which) => [...document.querySelectorAll(which)].map(({ href }) => href);
  const parts = links('link[rel=part]').map((href) => href.replace(/\w+(?=\.js$)/, language));
  const words = links(`link[rel=words][hreflang=${language}]`);
  const main = [...document.querySelectorAll('script[type=module]')].map(({ src }) => src);
  return { language, scripts: [...main, ...words, ...parts] };
}

// Calls `found` with the address of each board that came to this page without the worker, which was not there yet.
function unseen(found) {
  const isBoard = ({ name, responseStatus, workerStart }) => name.includes('/puzzle?') && responseStatus === 200 && !workerStart;
  const observer = new PerformanceObserver((list) => list.getEntries().filter(isBoard).forEach(({ name }) => found(name)));
  observer.observe({ type: 'resource', buffered: true });
}

// The page is loaded first: what the worker asks for comes after all that a reader waits for.
export async function begin() {
  const manifest = document.querySelector('link[rel=manifest]');
  const { serviceWorker } = navigator;
  if (!manifest || !serviceWorker) return;
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
  const tell = async (what) => (await serviceWorker.ready).active.postMessage(what);
  try {
    await serviceWorker.register(new URL('worker.js', manifest.href), { updateViaCache: 'none' });
    if (serviceWorker.controller) serviceWorker.addEventListener('controllerchange', () => tell(wanted())); // an upgrade has emptied what it keeps
    unseen((board) => tell({ board }));
    await tell(wanted());
  } catch {
    // then the page needs the network
  }
}
