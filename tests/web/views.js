// views.js - one address for each thing that the explorer shows, for what looks at all of them: pictures, print, motion,
// Lighthouse, Firefox. It knows no test.
//
// name: [address below the server, what is to be seen there]
export const views = {
  front: ['', '.board .region'],
  board: ['board?n=8', '.board .queen'],
  'board-walls': ['board?n=7&m=5&walls=2:2,4:5&queens=5&build=1', '.board .wall'],
  'play-regions': ['play/163f', '.board .region'],
  'play-completion': ['play?kind=completion&seed=1', '.board .queen'],
  'play-free': ['play?kind=free&n=8&queens=1:1,2:5,3:2', '.board .queen'],
  'watch-one': ['watch?n=6&step=40', '.side .board'],
  'watch-two': ['watch?n=6&algorithm2=romani-5&step=40', '.side + .side .board, .side .board'],
  count: ['count', 'svg.chart'],
  'count-profile': ['count#n=8&profile=1&m=7', '.shapes svg.chart'],
  build: ['build', 'canvas'],
  docs: ['docs', '.operation'],
  embed: ['embed?code=163f', '.board .region'],
};

// Opens a view and waits until it is all there.
export async function visit(page, base, name) {
  const [address, seen] = views[name];
  await page.goto('about:blank'); // so that it is loaded, with nothing pressed before
  await page.goto(`${base}${address}`);
  await page.locator(seen).first().waitFor();
  await page.waitForLoadState('networkidle');
}
